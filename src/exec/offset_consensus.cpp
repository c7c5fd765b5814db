// Compares the window offsets that processes of a source report for one frame.
#include "exec/offset_consensus.hpp"

namespace dri::exec {

void OffsetConsensus::begin() {
    first_ = -1;
    mismatch_.reset();
}

void OffsetConsensus::observe(int peer, const Dims &offset) {
    if (first_ < 0) {
        first_ = peer;
        offset_ = offset;
    } else if (!mismatch_ && !(offset_ == offset)) {
        mismatch_ = OffsetMismatch{first_, peer, offset_, offset};
    }
}

} // namespace dri::exec
