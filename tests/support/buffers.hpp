// The buffers of one endpoint. The user's buffers have canaries around them.
#pragma once

#include "support/transfer_run.hpp"

namespace dri_test {

// The expected value of byte `at` of an element in a frame. All other bytes hold fixed patterns.
inline std::byte stamp(int64_t element, int64_t frame, int64_t at) {
    auto x = static_cast<uint64_t>(element) * 0x9E3779B97F4A7C15u +
             static_cast<uint64_t>(frame) * 0xD1B54A32D192ED03u + static_cast<uint64_t>(at) * 0x8CB92BA72F3D8DD7u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return static_cast<std::byte>(x >> 56);
}
constexpr std::byte poison{0xEE}, canary{0xC5};

class Buffers {
public:
    Buffers(const Side &side, int64_t bytes);
    ~Buffers();
    Buffers(const Buffers &) = delete;
    Buffers &operator=(const Buffers &) = delete;

    void *const *given() const; // for DRI_xfer_create
    void take(DRI_Xfer xfer);   // stores the addresses after the commit; the user's must be unchanged
    std::byte *at(int64_t frame) const { return addresses_[static_cast<size_t>(frame) % addresses_.size()]; }
    void poison_all(std::byte *buffer) const;
    void expect_canaries() const;
    int64_t bytes() const { return bytes_; }
    bool library_owns(int64_t frame) const { return !memory_[static_cast<size_t>(frame) % memory_.size()].begin; }

private:
    struct Block {
        std::byte *begin = nullptr; // with canaries; null if the library owns the memory
        Memory kind = Memory::library;
    };
    int64_t bytes_;
    std::vector<Block> memory_;
    std::vector<void *> given_;
    std::vector<std::byte *> addresses_;
};

} // namespace dri_test
