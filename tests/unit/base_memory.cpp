// Which pages are advised as huge pages, as the system reports it.
#include "base/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dri::test {
namespace {

// The bytes of [begin, begin + bytes) that are advised as huge pages.
int64_t advised_bytes(const std::byte *begin, int64_t bytes) {
    std::ifstream maps("/proc/self/smaps");
    const auto low = reinterpret_cast<uintptr_t>(begin), high = low + static_cast<uintptr_t>(bytes);
    uintptr_t from = 0, to = 0;
    int64_t sum = 0;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        uintptr_t first = 0, last = 0;
        char dash = 0;
        if (words >> std::hex >> first >> dash >> last && dash == '-') {
            from = std::max(first, low);
            to = std::min(last, high);
        } else if (line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos && from < to) {
            sum += static_cast<int64_t>(to - from);
        }
    }
    return sum;
}

TEST(Memory, AdviceCoversWholeHugePagesInside) {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
        GTEST_SKIP() << "the system has no huge pages";
    constexpr int64_t mapped_bytes = 5 * huge_page_bytes;
    void *const space = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(space, MAP_FAILED);
    auto *const memory = static_cast<std::byte *>(space);
    auto *const huge =
        memory + (huge_page_bytes - reinterpret_cast<intptr_t>(memory) % huge_page_bytes) % huge_page_bytes;
    ASSERT_EQ(advised_bytes(memory, mapped_bytes), 0);
    advise_huge_pages(huge + 16, 2 * huge_page_bytes - 17); // no whole huge page lies inside
    advise_huge_pages(huge, huge_page_bytes - 1);
    advise_huge_pages(huge + 1, 100);
    advise_huge_pages(nullptr, 0);
    EXPECT_EQ(advised_bytes(memory, mapped_bytes), 0);
    advise_huge_pages(huge + huge_page_bytes - 16, 2 * huge_page_bytes + 32);
    EXPECT_EQ(advised_bytes(memory, mapped_bytes), 2 * huge_page_bytes);
    EXPECT_EQ(advised_bytes(huge + huge_page_bytes, 2 * huge_page_bytes), 2 * huge_page_bytes);
    munmap(space, mapped_bytes);
}

// Bytes on huge pages in the shared mapping that starts at `begin`.
int64_t huge_bytes(const std::byte *begin) {
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        uintptr_t first = 0;
        char dash = 0;
        std::string name;
        int64_t kilobytes = 0;
        if (words >> std::hex >> first >> dash && dash == '-')
            here = first == reinterpret_cast<uintptr_t>(begin);
        else if (std::istringstream(line) >> name >> kilobytes && here && name == "ShmemPmdMapped:")
            return kilobytes * 1024;
    }
    return 0;
}

bool switched_off() {
    std::string words;
    std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
    return !std::getline(setting, words) || words.find("[never]") != std::string::npos;
}

// Requests huge pages directly, one page at a time, to find out how many the system has.
void ask_for_each(std::byte *begin, int64_t bytes) {
    constexpr int collapse = 25; // MADV_COLLAPSE
    for (int64_t at = 0; at < bytes; at += huge_page_bytes)
        madvise(begin + at, huge_page_bytes, collapse);
}

TEST(Memory, HugePagesAreReservedInSharedMemoryToo) {
    constexpr int64_t bytes = 12 * huge_page_bytes, mapped_bytes = bytes + 2 * huge_page_bytes;
    const int file = memfd_create("test", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    ASSERT_EQ(ftruncate(file, bytes), 0);
    void *const space = mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(space, MAP_FAILED);
    auto *const memory = static_cast<std::byte *>(space);
    auto *const huge =
        memory + (huge_page_bytes - reinterpret_cast<intptr_t>(memory) % huge_page_bytes) % huge_page_bytes;
    ASSERT_NE(mmap(huge, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0), MAP_FAILED);
    huge[17] = std::byte{1};
    reserve_huge_pages(huge + 64, 2 * huge_page_bytes - 64); // one whole huge page lies inside
    const int64_t one = huge_bytes(huge);
    EXPECT_LE(one, huge_page_bytes);
    reserve_huge_pages(huge + 8, 100);
    reserve_huge_pages(nullptr, 0);
    EXPECT_EQ(huge_bytes(huge), one);
    EXPECT_EQ(huge[17], std::byte{1});
    EXPECT_TRUE(std::all_of(huge + 18, huge + bytes, [](std::byte b) { return b == std::byte{0}; }));
    reserve_huge_pages(huge, bytes); // memory in use keeps its contents
    const int64_t all = huge_bytes(huge);
    EXPECT_EQ(huge[17], std::byte{1});
    ask_for_each(huge, bytes);
    const int64_t had = huge_bytes(huge);
    munmap(space, mapped_bytes);
    close(file);
    if (had == 0 || switched_off())
        GTEST_SKIP() << "the system provides no huge pages on request";
    // The system may lack some pages, and may find more at the second request.
    EXPECT_GT(all, had / 2) << had;
    EXPECT_TRUE(one == huge_page_bytes || all < bytes) << one;
}

} // namespace
} // namespace dri::test
