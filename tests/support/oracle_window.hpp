// Frames whose window has slid, by the plans of where it was.
#pragma once

#include "random_case.hpp"

#include <string>

namespace dri::test {

// A case whose source or sink is longer than its window along some of the dimensions that it does not cut, and how
// far the window has slid there.
struct WindowCase {
    TransferCase planned;
    TransferCase moved; // what must have happened
    bool of_sink = false;
    int64_t slides = 0; // as of DRI_ATTR_REBASE; 0: the case has no such dimension
    Dims offset;
};
WindowCase make_window_case(const TransferCase &c, bool of_sink, uint64_t seed);

// Plans the one and judges every byte by the other one. Empty if all is well. forgetful: the window stays.
std::string find_fault(const WindowCase &c, bool forgetful = false);

} // namespace dri::test
