// Puts the runs of a buffer in order, piece by piece, inside that buffer, and back. The method is that of in-place
// sample sorts (Axtmann, Witt, Ferizovic, Sanders, "In-place parallel super scalar samplesort", 2017):
// 1. Each piece has one block of memory. The runs are read in rising order, each into its piece's block.
// 2. A full block moves to the front of the buffer, where everything has been read.
// 3. Whole blocks move to their positions, along the cycles of their permutation.
// 4. The remainders of pieces, which fill no block, are put between them.
// The way back runs the same steps in reverse. No step depends on the length of runs, or on whether pieces are
// equal.
#pragma once

#include "base/memory.hpp"
#include "kernel/run_walk.hpp"
#include "plan/piece.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dri::kernel {

class Arranger {
public:
    // pieces: share no bytes. Their sections follow each other in their order, starting at 0, and together are no
    // longer than the buffer up to the last run; they must stay valid as long as the arranger. block_bytes: the
    // result of arranging_block().
    Arranger(const std::vector<plan::Piece> &pieces, int64_t block_bytes);
    Arranger(const std::vector<plan::Piece> &&, int64_t) = delete;
    Arranger(const Arranger &) = delete;
    Arranger &operator=(const Arranger &) = delete;

    // memory: (pieces + 1) blocks. Neither function allocates. Cost: each byte is copied two or three times, in
    // blocks or longer; once more if runs are shorter than a block. Each run costs one step of a heap.
    void gather(std::byte *buffer, std::byte *memory);  // from the runs to the sections
    void scatter(std::byte *buffer, std::byte *memory); // from the sections to the runs

    // What an arranger holds for a piece. Numbers of blocks are workspace (plan::arranging_bytes).
    static int64_t bytes_for(const plan::Piece &piece) {
        return int64_t{sizeof(Filling)} + RunWalk::bytes_for(piece);
    }

    const std::vector<plan::Piece> &pieces() const { return pieces_; }
    int64_t block_bytes() const { return block_bytes_; }

private:
    struct Filling {
        int64_t bytes = 0;       // of the piece
        int64_t first_block = 0; // of its blocks, when all blocks are in order
        int64_t blocks = 0;      // moved so far
        int64_t have = 0;        // bytes in its block of memory
    };
    void begin();
    void note_order();
    void gather_run(Filling &piece, std::byte *buffer, const std::byte *from, int64_t bytes, std::byte *held);
    void scatter_run(Filling &piece, const std::byte *buffer, std::byte *to_end, int64_t bytes, std::byte *held);
    void move_blocks(std::byte *buffer, std::byte *hold);

    const std::vector<plan::Piece> &pieces_;
    RunWalk walk_;
    int64_t block_bytes_;
    int64_t blocks_ = 0, at_block_ = 0; // total number of blocks; the next block in the order of filling
    std::vector<Filling> filling_;
    std::vector<uint32_t> source_block_; // per block in final order: the block that holds its contents now
    bool knows_order_ = false;
};

} // namespace dri::kernel
