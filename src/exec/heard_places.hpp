// Where the processes of a source say that the window of a sink's frame is.
#pragma once

#include "exec/window.hpp"

#include <optional>

namespace dri {

// Two processes of a source that said different places for one frame.
struct WindowClash {
    int first = 0, second = 0; // ranks
    Dims first_offset, second_offset;
};

class HeardPlaces {
public:
    void begin(); // a frame
    void hear(int peer, const Dims &offset);
    // The first two that differ, if any do so far.
    const std::optional<WindowClash> &clash() const { return clash_; }

private:
    std::optional<WindowClash> clash_;
    int first_ = -1; // who was heard first
    Dims offset_;
};

} // namespace dri
