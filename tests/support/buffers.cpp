#include "support/buffers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dri::test {

namespace {

constexpr int64_t margin = 64;

alignas(64) std::byte pool[size_t{1} << 22];
int64_t pool_used = 0;

} // namespace

Buffers::Buffers(int count, Memory memory, int64_t bytes) : bytes_(bytes) {
    const auto allocated = static_cast<size_t>((bytes + 2 * margin + 63) / 64 * 64);
    for (int k = 0; k < count; ++k) {
        Block block{nullptr, memory == Memory::mixed ? (k % 2 ? Memory::library : Memory::heap) : memory};
        switch (block.kind) {
        case Memory::heap: block.begin = static_cast<std::byte *>(std::aligned_alloc(64, allocated)); break;
        case Memory::still:
            if (pool_used + static_cast<int64_t>(allocated) > static_cast<int64_t>(sizeof pool))
                pool_used = 0;
            block.begin = pool + pool_used;
            pool_used += static_cast<int64_t>(allocated);
            break;
        case Memory::mapped:
            block.begin = static_cast<std::byte *>(
                mmap(nullptr, allocated, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
            break;
        case Memory::library:
        case Memory::mixed: break;
        }
        memory_.push_back(block);
        given_.push_back(block.begin ? block.begin + margin : nullptr);
        if (!block.begin)
            continue;
        std::memset(block.begin, static_cast<int>(canary), allocated);
        poison_all(block.begin + margin);
    }
}

Buffers::~Buffers() {
    for (const Block &block : memory_) {
        if (block.kind == Memory::heap)
            std::free(block.begin);
        if (block.kind == Memory::mapped)
            munmap(block.begin, static_cast<size_t>((bytes_ + 2 * margin + 63) / 64 * 64));
    }
}

void *const *Buffers::given() const {
    const bool any = std::any_of(given_.begin(), given_.end(), [](void *p) { return p != nullptr; });
    return any ? given_.data() : nullptr;
}

void Buffers::take(DRI_Xfer xfer) {
    int n = 0;
    expect_success(DRI_xfer_get_buffers(xfer, &n, nullptr), "DRI_xfer_get_buffers");
    EXPECT_EQ(static_cast<size_t>(n), given_.size());
    std::vector<void *> found(given_.size(), nullptr);
    expect_success(DRI_xfer_get_buffers(xfer, nullptr, found.data()), "DRI_xfer_get_buffers");
    for (size_t k = 0; k < found.size(); ++k) {
        EXPECT_NE(found[k], nullptr);
        EXPECT_TRUE(!given_[k] || found[k] == given_[k]) << "buffer " << k << " is not the user's";
        addresses_.push_back(static_cast<std::byte *>(found[k]));
        if (given_[k] || !found[k])
            continue;
        EXPECT_TRUE(
            std::all_of(addresses_[k], addresses_[k] + bytes_, [](std::byte b) { return b == std::byte{0}; }))
            << "the library's buffer " << k << " is not zero";
    }
}

void Buffers::poison_all(std::byte *buffer) const {
    std::memset(buffer, static_cast<int>(poison), static_cast<size_t>(bytes_));
}

void Buffers::expect_canaries() const {
    const auto intact = [](const std::byte *from) {
        return std::all_of(from, from + margin, [](std::byte b) { return b == canary; });
    };
    for (size_t k = 0; k < memory_.size(); ++k) {
        if (!memory_[k].begin)
            continue;
        EXPECT_TRUE(intact(memory_[k].begin)) << "bytes before buffer " << k << " have changed";
        EXPECT_TRUE(intact(memory_[k].begin + margin + bytes_)) << "bytes behind buffer " << k << " have changed";
    }
}

} // namespace dri::test
