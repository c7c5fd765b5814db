// Counts what the program allocates: all of new, and of malloc what the program's own code asks for. The library
// is linked into the program, MPI is not, so MPI's allocations are told apart by who calls. Under sanitizers
// nothing is counted.
#pragma once

namespace dri_test {

void begin_counting();
long end_counting();

template <class F> long allocations_of(const F &f) {
    begin_counting();
    f();
    return end_counting();
}

} // namespace dri_test
