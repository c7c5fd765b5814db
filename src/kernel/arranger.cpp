// Gathers runs into pieces and scatters pieces to runs, inside one buffer, by moving blocks of equal length.
#include "kernel/arranger.hpp"

#include <algorithm>
#include <cstring>

namespace dri::kernel {

namespace {

// Mark of a block number in source_block_: this block is already in its final position.
constexpr uint32_t is_moved = uint32_t{1} << 31;

size_t index(int64_t i) { return static_cast<size_t>(i); }

} // namespace

Arranger::Arranger(const std::vector<plan::Piece> &pieces, int64_t block_bytes)
    : pieces_(pieces), walk_(pieces_), block_bytes_(block_bytes) {
    filling_.reserve(pieces_.size());
    for (const plan::Piece &piece : pieces_) {
        const int64_t bytes = plan::piece_bytes(piece);
        filling_.push_back({bytes, blocks_});
        blocks_ += bytes / block_bytes_;
    }
    source_block_.resize(index(blocks_));
}

void Arranger::begin() {
    at_block_ = 0;
    for (Filling &piece : filling_)
        piece.blocks = piece.have = 0;
}

// Copies one run to its piece's block, and moves full blocks to the front of the buffer. A block always fits
// there: as many bytes have been read as were moved or are held in memory.
void Arranger::gather_run(Filling &piece, std::byte *buffer, const std::byte *from, int64_t bytes,
                          std::byte *held) {
    const auto take_block = [&](const std::byte *block) {
        std::memmove(buffer + at_block_ * block_bytes_, block, index(block_bytes_));
        source_block_[index(piece.first_block + piece.blocks++)] = static_cast<uint32_t>(at_block_++);
    };
    while (bytes > 0) {
        if (piece.have == 0 && bytes >= block_bytes_) {
            take_block(from);
            from += block_bytes_;
            bytes -= block_bytes_;
            continue;
        }
        const int64_t some = std::min(bytes, block_bytes_ - piece.have);
        std::memcpy(held + piece.have, from, index(some));
        piece.have += some;
        from += some;
        bytes -= some;
        if (piece.have == block_bytes_) {
            take_block(held);
            piece.have = 0;
        }
    }
}

// Moves the runs into blocks, sorts the blocks by piece, then moves each piece to its section. The highest piece
// moves first, because pieces move up. The remainder of a piece follows its blocks.
void Arranger::gather(std::byte *buffer, std::byte *memory) {
    begin();
    walk_.rising([&](size_t i, int64_t at) {
        gather_run(filling_[i], buffer, buffer + at, pieces_[i].run_bytes,
                   memory + static_cast<int64_t>(i) * block_bytes_);
    });
    move_blocks(buffer, memory + std::ssize(pieces_) * block_bytes_);
    for (size_t i = pieces_.size(); i-- > 0;) {
        const Filling &piece = filling_[i];
        std::byte *const at = buffer + pieces_[i].offset;
        const std::byte *const blocks = buffer + piece.first_block * block_bytes_;
        if (at != blocks)
            std::memmove(at, blocks, index(piece.blocks * block_bytes_));
        std::memcpy(at + piece.blocks * block_bytes_, memory + static_cast<int64_t>(i) * block_bytes_,
                    index(piece.have));
    }
}

// Records the order in which gather() would fill the blocks. It is computed once, because the runs stay the same.
void Arranger::note_order() {
    if (knows_order_)
        return;
    begin();
    walk_.rising([&](size_t i, int64_t) {
        Filling &piece = filling_[i];
        for (piece.have += pieces_[i].run_bytes; piece.have >= block_bytes_; piece.have -= block_bytes_)
            source_block_[index(at_block_++)] = static_cast<uint32_t>(piece.first_block + piece.blocks++);
    });
    knows_order_ = true;
}

// Copies one run out of its piece's block, the end of the run first. Blocks that are not read yet lie below it, as
// they did when the run was gathered.
void Arranger::scatter_run(Filling &piece, const std::byte *buffer, std::byte *to_end, int64_t bytes,
                           std::byte *held) {
    while (bytes > 0) {
        if (piece.have == 0) {
            const std::byte *const block = buffer + --at_block_ * block_bytes_;
            if (bytes >= block_bytes_) {
                std::memmove(to_end - block_bytes_, block, index(block_bytes_));
                to_end -= block_bytes_;
                bytes -= block_bytes_;
                continue;
            }
            std::memcpy(held, block, index(block_bytes_));
            piece.have = block_bytes_;
        }
        const int64_t some = std::min(bytes, piece.have);
        piece.have -= some;
        to_end -= some;
        bytes -= some;
        std::memcpy(to_end, held + piece.have, index(some));
    }
}

// The steps of gather() in reverse order.
void Arranger::scatter(std::byte *buffer, std::byte *memory) {
    note_order();
    for (size_t i = 0; i < pieces_.size(); ++i) {
        Filling &piece = filling_[i];
        piece.blocks = piece.bytes / block_bytes_;
        piece.have = piece.bytes % block_bytes_;
        const std::byte *const at = buffer + pieces_[i].offset;
        std::byte *const blocks = buffer + piece.first_block * block_bytes_;
        std::memcpy(memory + static_cast<int64_t>(i) * block_bytes_, at + piece.blocks * block_bytes_,
                    index(piece.have));
        if (at != blocks)
            std::memmove(blocks, at, index(piece.blocks * block_bytes_));
    }
    move_blocks(buffer, memory + std::ssize(pieces_) * block_bytes_);
    at_block_ = blocks_;
    walk_.falling([&](size_t i, int64_t at) {
        const int64_t bytes = pieces_[i].run_bytes;
        scatter_run(filling_[i], buffer, buffer + at + bytes, bytes,
                    memory + static_cast<int64_t>(i) * block_bytes_);
    });
}

// Permutes the blocks: block i receives the contents of block source_block_[i]. Each cycle of the permutation is
// followed once, with one block held in memory.
void Arranger::move_blocks(std::byte *buffer, std::byte *hold) {
    const auto copy = [&](std::byte *to, const std::byte *from) { std::memcpy(to, from, index(block_bytes_)); };
    const auto block = [&](uint32_t i) { return buffer + static_cast<int64_t>(i) * block_bytes_; };
    for (uint32_t first = 0; first < source_block_.size(); ++first) {
        if ((source_block_[first] & is_moved) || source_block_[first] == first)
            continue;
        copy(hold, block(first));
        uint32_t at = first;
        for (uint32_t from = source_block_[at]; from != first; from = source_block_[at]) {
            copy(block(at), block(from));
            source_block_[at] |= is_moved;
            at = from;
        }
        copy(block(at), hold);
        source_block_[at] |= is_moved;
    }
    for (uint32_t &from : source_block_)
        from &= ~is_moved;
}

} // namespace dri::kernel
