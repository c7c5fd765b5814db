// Whether the program runs under AddressSanitizer, whose allocator keeps freed memory and refuses huge requests.
#pragma once

namespace dri_test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

} // namespace dri_test
