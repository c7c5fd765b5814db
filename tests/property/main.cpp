// Runs the property tests; with --case='LINE' replays one transfer instead and says what is wrong with it.
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.rfind("--case=", 0) != 0)
            continue;
        const std::string fault = dri::test::find_fault(dri::test::from_line(word.substr(7)));
        std::cout << (fault.empty() ? "no fault" : fault) << "\n";
        return fault.empty() ? 0 : 1;
    }
    return RUN_ALL_TESTS();
}
