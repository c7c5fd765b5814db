#pragma once

#include <complex>
#include <cstdint>

namespace fft {

// The input: noise that depends on row and column alone, so any process can compute any part of it. The
// multipliers are those of SplitMix64.
inline std::complex<float> signal(std::int64_t row, std::int64_t column) {
    auto x = (static_cast<std::uint64_t>(row) << 32) + static_cast<std::uint64_t>(column) + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    x ^= x >> 31;
    const auto centred = [](std::uint64_t bits) { return static_cast<float>(bits & 0xffffU) / 32768.0F - 1.0F; };
    return {centred(x), centred(x >> 16)};
}

// Fills rows [first, last), one after the other.
inline void fill_rows(std::complex<float> *element, std::int64_t first, std::int64_t last, std::int64_t columns) {
    for (std::int64_t row = first; row < last; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            *element++ = signal(row, column);
}

} // namespace fft
