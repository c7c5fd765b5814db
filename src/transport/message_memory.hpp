// Memory that messages travel in. An MPI that copies straight from one process's memory to another's has to look
// up each page of it, which for small pages takes a good part of the time of the copy. So what is much smaller
// than a huge page shares one with others.
#pragma once

#include "base/memory.hpp"

#include <bitset>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace dri {

class MessageMemory : public std::enable_shared_from_this<MessageMemory> {
    static constexpr size_t num_pages = huge_page_bytes / page_bytes;
    struct Block {
        AlignedBuffer memory = AlignedBuffer(huge_page_bytes);
        std::bitset<num_pages> taken;
    };

public:
    // Longer pieces would leave too much of a huge page to nobody.
    static constexpr int64_t max_shared_bytes = huge_page_bytes / 4;

    // Whole pages, because MPI may hand pages to the system. They are given back when it goes; until then it keeps
    // the memory that it is of.
    class Piece {
    public:
        Piece() = default;
        Piece(Piece &&other) noexcept { swap(other); }
        Piece &operator=(Piece &&other) noexcept {
            Piece taken(std::move(other));
            swap(taken);
            return *this;
        }
        ~Piece();
        std::byte *data() const;

    private:
        friend class MessageMemory;
        void swap(Piece &other) noexcept;

        AlignedBuffer alone_; // where it shares with nobody
        std::shared_ptr<MessageMemory> of_;
        Block *block_ = nullptr;
        size_t page_ = 0, pages_ = 0;
    };

    // Any thread, as for pieces that go. Fails with DRI_ERR_MEMORY. What it holds is not defined. 0 bytes take
    // nothing.
    Piece take(int64_t bytes);
    int64_t num_blocks() const; // huge pages that are shared

private:
    void give_back(Block &block, size_t page, size_t pages) noexcept;

    mutable std::mutex mutex_; // guards what follows
    std::list<Block> blocks_;  // something is taken of each
};

} // namespace dri
