// Frames whose window has moved, run with plans made for the window's first position.
#pragma once

#include "random_case.hpp"

#include <string>

namespace dri::test {

// A case whose source or sink is longer than its window along some dimensions that it does not cut, and how far
// the window has moved along them.
struct WindowCase {
    TransferCase planned;
    TransferCase moved; // the case that describes the expected result
    bool of_sink = false;
    int64_t slides = 0; // as in DRI_ATTR_REBASE; 0 if the case has no such dimension
    Dims offset;
};
WindowCase make_window_case(const TransferCase &c, bool of_sink, uint64_t seed);

// Plans `planned` with the window moved, and checks every byte against `moved`. Returns "" if all is correct.
// forgetful: the window is not moved, so there must be a fault.
std::string find_fault(const WindowCase &c, bool forgetful = false);

} // namespace dri::test
