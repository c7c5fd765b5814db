// The cost of the C++ interface over the C interface.
#pragma once

namespace overhead_bench {

// Collective over the processes of MPI_COMM_WORLD. Moves frames of 64 by 64 numbers by both interfaces
// alternately, and prints a row for each kind of frame on the first process. Returns the exit code.
int compare_interfaces(int argc, char **argv, double seconds, int repetitions);

} // namespace overhead_bench
