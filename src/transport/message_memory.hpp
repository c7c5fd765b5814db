// Memory in which messages are packed and received. An MPI that copies straight from one process's memory to
// another's has to look up each page. For small pages this takes a good part of the time of the copy. Therefore
// pieces that are much smaller than a huge page share one.
#pragma once

#include "base/memory.hpp"

#include <bitset>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace dri::transport {

class MessageMemory : public std::enable_shared_from_this<MessageMemory> {
    static constexpr size_t num_lines = huge_page_bytes / cache_line_bytes;
    struct Block {
        AlignedBuffer memory = AlignedBuffer(huge_page_bytes);
        std::bitset<num_lines> taken;
        size_t num_taken = 0, first_free = 0; // no line before first_free is free
    };

public:
    // Longer pieces get memory of their own, because they would leave too much of a shared huge page unused.
    static constexpr int64_t max_shared_bytes = huge_page_bytes / 4;

    // A number of whole cache lines. A piece of a page or more starts at a page. The destructor gives the lines
    // back. Until then the piece keeps the MessageMemory alive that it came from.
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

        AlignedBuffer alone_; // the memory of a piece that does not share a huge page
        std::shared_ptr<MessageMemory> of_;
        Block *block_ = nullptr;
        size_t line_ = 0, lines_ = 0;
    };

    // A piece with undefined contents; 0 bytes reserve nothing. Any thread may call this, and may destroy pieces.
    // Fails with DRI_ERR_MEMORY.
    Piece take(int64_t bytes);
    int64_t num_blocks() const; // number of shared huge pages

private:
    static size_t find_free(const Block &block, size_t wanted);
    void give_back(Block &block, size_t line, size_t lines) noexcept;

    mutable std::mutex mutex_; // guards what follows
    std::list<Block> blocks_;  // each has at least one line in use
};

} // namespace dri::transport
