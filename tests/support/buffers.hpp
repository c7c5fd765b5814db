// The buffers of one end, the user's with canaries around them.
#pragma once

#include "support/transfer_run.hpp"

namespace dri_test {

// What the bytes of elements and the others hold.
std::byte stamp(int64_t element, int64_t frame, int64_t at);
constexpr std::byte poison{0xEE}, canary{0xC5};

class Buffers {
public:
    Buffers(const Side &side, int64_t bytes);
    ~Buffers();
    Buffers(const Buffers &) = delete;
    Buffers &operator=(const Buffers &) = delete;

    void *const *given() const; // for DRI_xfer_create
    void take(DRI_Xfer xfer);   // the addresses after the commit; the user's must be the same
    std::byte *at(int64_t frame) const { return addresses_[static_cast<size_t>(frame) % addresses_.size()]; }
    void poison_all(std::byte *buffer) const;
    void expect_canaries() const;
    int64_t bytes() const { return bytes_; }
    bool library_owns(int64_t frame) const { return !memory_[static_cast<size_t>(frame) % memory_.size()].begin; }

private:
    struct Block {
        std::byte *begin = nullptr; // with canaries; null: the library's
        Memory kind = Memory::library;
    };
    int64_t bytes_;
    std::vector<Block> memory_;
    std::vector<void *> given_;
    std::vector<std::byte *> addresses_;
};

} // namespace dri_test
