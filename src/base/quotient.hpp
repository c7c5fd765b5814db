// Division by numbers that are powers of two most of the time.
#pragma once

#include <bit>
#include <cstdint>

namespace dri::inline base {

// n / divisor, for n of 0 or more. There is no division if the divisor is a power of two, such as 1: a division
// would cost tens of cycles, several times per frame. To test for 1 alone does not help, because the compiler sees
// that both branches are equal and always divides.
constexpr int64_t quotient(int64_t n, int64_t divisor) {
    return (divisor & (divisor - 1)) == 0 ? n >> std::countr_zero(static_cast<uint64_t>(divisor)) : n / divisor;
}

} // namespace dri::inline base
