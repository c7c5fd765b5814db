// The buffers of one endpoint. The user's buffers have canaries around them.
#pragma once

#include "support/objects.hpp"
#include "support/random_case.hpp"

namespace dri::test {

constexpr std::byte poison{0xEE}, canary{0xC5};

class Buffers {
public:
    Buffers(int count, Memory memory, int64_t bytes);
    ~Buffers();
    Buffers(const Buffers &) = delete;
    Buffers &operator=(const Buffers &) = delete;

    void *const *given() const; // for DRI_xfer_create
    void take(DRI_Xfer xfer);   // stores the addresses after the commit; the user's must be unchanged
    std::byte *at(int64_t frame) const { return addresses_[static_cast<size_t>(frame) % addresses_.size()]; }
    void poison_all(std::byte *buffer) const;
    void expect_canaries() const;
    int64_t bytes() const { return bytes_; }
    int64_t count() const { return std::ssize(memory_); }
    bool is_provided(int64_t frame) const { return !memory_[static_cast<size_t>(frame) % memory_.size()].begin; }

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

} // namespace dri::test
