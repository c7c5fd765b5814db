// Whether this program's library is compiled with AddressSanitizer, whose allocator keeps freed memory and refuses
// huge requests. This is found at run time, because the tests' own objects are the same for both libraries.
#pragma once

extern "C" __attribute__((weak)) void __asan_init(); // NOLINT(bugprone-reserved-identifier)

namespace dri::test {

inline const bool sanitized = &__asan_init != nullptr;

// Reduces n random rounds under sanitizers, where each round takes ten times as long. Fewer rounds are enough
// there: which memory a round touches depends less on its numbers than its result does.
inline int rounds(int n) { return sanitized && n > 8 ? n / 8 : n; }

} // namespace dri::test
