// Runs the plans of all processes of a case in place, within this process. Source and sink of a rank share a
// buffer.
#pragma once

#include "random_case.hpp"

#include <string>

namespace dri::test {

// The case with both sides on the same processes. If their numbers differ, the sink is cut like the source.
TransferCase as_in_place(TransferCase c);

// Plans and runs one frame, and checks every byte of the sinks. Returns "" if all is correct. Messages have only
// the memory that the plans request. The seed picks the order of steps.
//  heedless: received messages are written at once, even if the plan forbids it. arranging: parts are put in order
//  before and after the messages.
enum class Arranging { no, yes };
std::string find_fault_in_place(const TransferCase &c, uint64_t seed, bool heedless = false,
                                Arranging arranging = Arranging::no);

// Runs the case between two buffers, then in place, without and with parts put in order. Returns the first fault,
// with the mode in front of it if it is in place. In place is left out if as_in_place() yields no legal case.
std::string find_fault_in_any_mode(const TransferCase &c);

// The number of processes that put their source's part in order, and of those that do so with their sink's.
struct ArrangedParts {
    int64_t before = 0, after = 0;
};
ArrangedParts count_arranged(const TransferCase &c);

} // namespace dri::test
