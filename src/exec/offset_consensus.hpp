// Checks that all processes of a source report the same window offset for a sink's frame.
#pragma once

#include "exec/window.hpp"

#include <optional>

namespace dri::exec {

// Two processes of a source that reported different offsets for one frame.
struct OffsetMismatch {
    int first = 0, second = 0; // ranks
    Dims first_offset, second_offset;
};

class OffsetConsensus {
public:
    void begin(); // starts a frame
    void observe(int peer, const Dims &offset);
    // The first two processes that differ, if any do so far.
    const std::optional<OffsetMismatch> &mismatch() const { return mismatch_; }

private:
    std::optional<OffsetMismatch> mismatch_;
    int first_ = -1; // the process that reported first; -1: none yet
    Dims offset_;
};

} // namespace dri::exec
