// Whether the library is compiled with AddressSanitizer, whose allocator keeps freed memory and refuses huge
// requests.
#pragma once

namespace dri_test {

#ifdef DRI_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Of so many random rounds, those that are enough under sanitizers, where each takes ten times as long: the memory
// that a round touches depends less on its numbers than its result does.
constexpr int rounds(int n) { return sanitized && n > 8 ? n / 8 : n; }

} // namespace dri_test
