// Frames of plans whose cost is not that of their messages: chains of calls, and round trips.
#pragma once

namespace bench {

// Prints what a node of a chain of calls takes beside the same functions called by hand, on one process.
void time_chain(int calls, double seconds, int repetitions);

// Prints how many times as many frames a round trip between two processes makes with two frames in flight. The
// functions of both take `work_us` each.
void time_round_trip(int work_us, double seconds, int repetitions);

} // namespace bench
