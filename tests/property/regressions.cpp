// Replays every case that has failed before.
#include "support/oracle_in_place.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace dri::test {

TEST(Regressions, all_lines_pass) {
    const auto path = std::filesystem::path(DRI_TESTS_FOLDER) / "regressions.txt";
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    int replayed = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        const TransferCase c = from_line(line);
        EXPECT_TRUE(is_legal(c)) << line;
        EXPECT_EQ(find_fault_in_any_mode(c), "") << line;
        ++replayed;
    }
    EXPECT_GT(replayed, 0);
}

} // namespace dri::test
