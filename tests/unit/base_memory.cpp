// Which pages the system is told of, as it tells itself.
#include "base/memory.hpp"

#include <sys/mman.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dri {
namespace {

// Bytes of [begin, begin + bytes) that may have huge pages.
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

TEST(Memory, AdviceIsOfWholeHugePagesInside) {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
        GTEST_SKIP() << "the system has no huge pages";
    constexpr int64_t room = 5 * huge_page_bytes;
    void *const space = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(space, MAP_FAILED);
    auto *const memory = static_cast<std::byte *>(space);
    auto *const huge =
        memory + (huge_page_bytes - reinterpret_cast<intptr_t>(memory) % huge_page_bytes) % huge_page_bytes;
    ASSERT_EQ(advised_bytes(memory, room), 0);
    advise_huge_pages(huge + 16, 2 * huge_page_bytes - 17); // whole but for its ends
    advise_huge_pages(huge, huge_page_bytes - 1);
    advise_huge_pages(huge + 1, 100);
    advise_huge_pages(nullptr, 0);
    EXPECT_EQ(advised_bytes(memory, room), 0);
    advise_huge_pages(huge + huge_page_bytes - 16, 2 * huge_page_bytes + 32);
    EXPECT_EQ(advised_bytes(memory, room), 2 * huge_page_bytes);
    EXPECT_EQ(advised_bytes(huge + huge_page_bytes, 2 * huge_page_bytes), 2 * huge_page_bytes);
    munmap(space, room);
}

} // namespace
} // namespace dri
