// Runs the plans of all processes of a case in place, in this process: source and sink of each are one buffer.
#pragma once

#include "random_case.hpp"

#include <string>

namespace dri::test {

// The case with both sides on the same processes: where their numbers differ, its sink is cut as its source.
TransferCase as_in_place(TransferCase c);

// Plans and runs a frame with as little memory for messages as the plans ask for, in an order of steps that the
// seed picks, but what comes is written as soon as it may be. Judges every byte of the sinks. Empty if all is
// well.
// heedless: what comes is written at once. arranges: parts are put in order before and after.
enum class Arranging { no, yes };
std::string find_fault_in_place(const TransferCase &c, uint64_t seed, bool heedless = false,
                                Arranging arranging = Arranging::no);

// How many processes of the case put their source's part in order, and their sink's.
struct ArrangedParts {
    int64_t before = 0, after = 0;
};
ArrangedParts count_arranged(const TransferCase &c);

} // namespace dri::test
