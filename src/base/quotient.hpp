// Division by numbers that are powers of two most of the time.
#pragma once

#include <bit>
#include <cstdint>

namespace dri::inline base {

// A number of 1 or more that others are divided by.
class Divisor {
public:
    constexpr Divisor(int64_t number)
        : number_(number),
          shift_((number & (number - 1)) == 0 ? std::countr_zero(static_cast<uint64_t>(number)) : -1) {}

    constexpr int64_t number() const { return number_; }

    // n / number(), for n of 0 or more. There is no division if the number is a power of two, such as 1: a
    // division would cost tens of cycles, several times per frame. To test for 1 alone does not help, because the
    // compiler sees that both branches are equal and always divides.
    constexpr int64_t divide(int64_t n) const { return shift_ >= 0 ? n >> shift_ : n / number_; }

private:
    int64_t number_;
    int shift_; // of a power of two; else -1
};

constexpr int64_t quotient(int64_t n, Divisor divisor) { return divisor.divide(n); }

} // namespace dri::inline base
