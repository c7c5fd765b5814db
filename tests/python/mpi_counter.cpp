// Counts the MPI calls of a Python program: LD_PRELOAD puts these functions in front of MPI's own.
#include "support/mpi_counter.hpp"

extern "C" __attribute__((visibility("default"))) long dri_test_mpi_traffic() { return dri::test::all_traffic(); }
