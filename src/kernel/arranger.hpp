// Puts the runs of a buffer in order, piece by piece, inside that buffer, and back. As in-place sample sorts do
// (Axtmann, Witt, Ferizovic, Sanders, "In-place parallel super scalar samplesort", 2017): each piece has one block
// of memory; the runs are read in rising order, and a block that is full goes to the front of the buffer, where
// all has been read. Then whole blocks change places, and the rests of pieces, which fill no block, go between
// them. Back, all of that goes the other way round. No step depends on how long runs are, or on whether pieces are
// alike.
#pragma once

#include "base/memory.hpp"
#include "kernel/run_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dri {

class Arranger {
public:
    // pieces: they have no bytes in common; their places follow each other from 0 on in their order, and take no
    // more than the buffer up to the last run. block_bytes: as arranging_block() has it.
    Arranger(std::vector<Piece> pieces, int64_t block_bytes);
    Arranger(const Arranger &) = delete;
    Arranger &operator=(const Arranger &) = delete;

    // memory: (pieces + 1) blocks. Neither allocates. Cost: each byte is copied two or three times, in blocks or
    // longer, and once more where runs are shorter than a block; and a step for each run.
    void gather(std::byte *buffer, std::byte *memory);  // from the runs to the places
    void scatter(std::byte *buffer, std::byte *memory); // from the places to the runs

    const std::vector<Piece> &pieces() const { return pieces_; }
    int64_t block_bytes() const { return block_bytes_; }

private:
    struct Filling {
        int64_t bytes = 0;       // of the piece
        int64_t first_block = 0; // of its blocks, when all are in order
        int64_t blocks = 0;      // moved so far
        int64_t have = 0;        // bytes in its block of memory
    };
    void begin();
    void note_order();
    void gather_run(Filling &piece, std::byte *buffer, const std::byte *from, int64_t bytes, std::byte *held);
    void scatter_run(Filling &piece, const std::byte *buffer, std::byte *to_end, int64_t bytes, std::byte *held);
    void move_blocks(std::byte *buffer, std::byte *hold);

    std::vector<Piece> pieces_;
    RunWalk walk_;
    int64_t block_bytes_;
    int64_t blocks_ = 0, at_block_ = 0; // in all; of those in the order in which they are full
    std::vector<Filling> filling_;
    std::vector<uint32_t> source_block_; // per place of a block: where what belongs there is
    bool knows_order_ = false;
};

} // namespace dri
