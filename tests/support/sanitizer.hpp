// Whether the library of this program is compiled with AddressSanitizer, whose allocator keeps freed memory and
// refuses huge requests. The tests' own objects are the same with both libraries.
#pragma once

extern "C" __attribute__((weak)) void __asan_init(); // NOLINT(bugprone-reserved-identifier)

namespace dri_test {

inline const bool sanitized = &__asan_init != nullptr;

// Of so many random rounds, those that are enough under sanitizers, where each takes ten times as long: the memory
// that a round touches depends less on its numbers than its result does.
inline int rounds(int n) { return sanitized && n > 8 ? n / 8 : n; }

} // namespace dri_test
