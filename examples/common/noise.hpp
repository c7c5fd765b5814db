// Noise for simulations. Any section of any stream can be computed directly, with the same result on each process.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace common {

// Complex normal numbers whose real and imaginary parts have standard deviation 1. A stream consists of runs, each
// copied from a position in one table.
class Noise {
public:
    static constexpr std::int64_t run = 1 << 10;

    Noise();

    std::span<const std::complex<float>> table() const { return table_; }
    // Position in the table of the numbers [index * run, (index + 1) * run) of a stream.
    std::size_t place(std::uint64_t stream, std::int64_t index) const;

    // Copies the numbers [first, first + count) of a stream. first may be negative.
    void copy(std::uint64_t stream, std::int64_t first, std::int64_t count, std::complex<float> *numbers) const;

private:
    std::vector<std::complex<float>> table_;
};

} // namespace common
