// Cache sizes as read from the system's files.
#include "base/caches.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dri::test {
namespace {

class Caches : public testing::Test {
protected:
    Caches() : folder_(std::filesystem::temp_directory_path() / ("dri_caches_" + std::to_string(getpid()))) {
        std::filesystem::create_directory(folder_);
    }
    ~Caches() override { std::filesystem::remove_all(folder_); }

    void add(int index, const std::string &level, const std::string &type, const std::string &size) const {
        const auto cache = folder_ / ("index" + std::to_string(index));
        std::filesystem::create_directory(cache);
        std::ofstream(cache / "level") << level << '\n';
        std::ofstream(cache / "type") << type << '\n';
        std::ofstream(cache / "size") << size << '\n';
    }

    void expect_read(int64_t second, int64_t outermost) const {
        const auto caches = read_caches(folder_);
        ASSERT_TRUE(caches);
        EXPECT_EQ(caches->second, second);
        EXPECT_EQ(caches->outermost, outermost);
    }

    std::filesystem::path folder_;
};

TEST_F(Caches, AreReadFromTheSystem) {
    add(0, "1", "Data", "32K");
    add(1, "1", "Instruction", "32K");
    add(2, "2", "Unified", "1024K");
    add(3, "3", "Unified", "32768K");
    expect_read(1 << 20, 32 << 20);
}

TEST_F(Caches, OfTheSecondLevelAreTheOutermostWithoutAThird) {
    add(0, "1", "Data", "64K");
    add(1, "2", "Unified", "2M");
    expect_read(2 << 20, 2 << 20);
}

TEST_F(Caches, ThatTheSystemDoesNotReportAreUnknown) {
    EXPECT_FALSE(read_caches(folder_ / "nothing"));
    EXPECT_FALSE(read_caches(folder_));
    add(0, "1", "Data", "32K");
    add(1, "2", "Instruction", "1024K");
    add(2, "3", "Unified", "much");
    add(3, "2", "Unified", "12Q");
    add(4, "2", "Unified", "99999999999999999999K");
    add(5, "", "", "");
    EXPECT_FALSE(read_caches(folder_));
}

TEST_F(Caches, OfThisMachineGrowWithTheLevel) {
    const CacheBytes caches = cache_bytes();
    EXPECT_GT(caches.second, 0);
    EXPECT_GE(caches.outermost, caches.second);
}

} // namespace
} // namespace dri::test
