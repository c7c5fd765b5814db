// Noise for simulations: any stretch of any stream at once, the same whichever process asks.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace common {

// Complex normal numbers, real and imaginary part of deviation 1 each, dealt in runs from places in one table.
class Noise {
public:
    static constexpr std::int64_t run = 1 << 10;

    Noise();

    std::span<const std::complex<float>> table() const { return table_; }
    // Where in the table the numbers [index * run, (index + 1) * run) of a stream begin.
    std::size_t place(std::uint64_t stream, std::int64_t index) const;

    // The numbers [first, first + count) of a stream; first may be below 0.
    void copy(std::uint64_t stream, std::int64_t first, std::int64_t count, std::complex<float> *numbers) const;

private:
    std::vector<std::complex<float>> table_;
};

} // namespace common
