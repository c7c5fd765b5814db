// Runs the property tests. With --case='LINE' it replays one transfer instead and prints what is wrong with it.
#include "support/oracle_in_place.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <iostream>
#include <string>

namespace {

int replay(const std::string &line) {
    try {
        const std::string fault = dri::test::find_fault_in_any_mode(dri::test::from_line(line));
        std::cout << (fault.empty() ? "no fault" : fault) << "\n";
        return fault.empty() ? 0 : 1;
    } catch (const std::exception &e) {
        std::cout << "not a case: " << e.what() << "\n";
        return 2;
    }
}

} // namespace

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    const std::string option = "--case=";
    for (int i = 1; i < argc; ++i)
        if (const std::string word = argv[i]; word.rfind(option, 0) == 0)
            return replay(word.substr(option.size()));
    return RUN_ALL_TESTS();
}
