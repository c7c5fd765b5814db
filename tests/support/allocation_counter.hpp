// Counts what the program allocates: every `new`, and every malloc that is called from the program's own code. The
// library is linked into the program and MPI is not, so the caller's address tells MPI's allocations apart. Under
// sanitizers nothing is counted.
#pragma once

#include <cstdint>

namespace dri::test {

void begin_counting();
long end_counting();
// Bytes that the program has asked aligned_alloc for between these two calls: of buffers and workspace.
int64_t aligned_bytes();

// Bytes that `new` has given out and not got back: now, and at most since the last call of forget_peak().
int64_t bytes_from_new();
int64_t peak_from_new();
void forget_peak();

template <class F> long allocations_of(const F &f) {
    begin_counting();
    f();
    return end_counting();
}

} // namespace dri::test
