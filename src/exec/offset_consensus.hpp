// Where the processes of a source say that the window of a sink's frame is.
#pragma once

#include "exec/window.hpp"

#include <optional>

namespace dri {

// Two processes of a source that said different places for one frame.
struct OffsetMismatch {
    int first = 0, second = 0; // ranks
    Dims first_offset, second_offset;
};

class OffsetConsensus {
public:
    void begin(); // a frame
    void observe(int peer, const Dims &offset);
    // The first two that differ, if any do so far.
    const std::optional<OffsetMismatch> &mismatch() const { return mismatch_; }

private:
    std::optional<OffsetMismatch> mismatch_;
    int first_ = -1; // who was heard first
    Dims offset_;
};

} // namespace dri
