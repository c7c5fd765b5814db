#include "noise.hpp"

#include <algorithm>
#include <random>

namespace common {
namespace {

constexpr std::int64_t places = 1 << 18;

// A hash of a number (splitmix64 by Sebastiano Vigna, public domain).
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

} // namespace

Noise::Noise() {
    std::mt19937 generator(1); // the same numbers on each process and in each run
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < places + run; ++i) {
        const float real = normal(generator);
        table_.emplace_back(real, normal(generator));
    }
}

std::size_t Noise::place(std::uint64_t stream, std::int64_t index) const {
    return static_cast<std::size_t>(mix(mix(stream) + static_cast<std::uint64_t>(index)) % places);
}

void Noise::copy(std::uint64_t stream, std::int64_t first, std::int64_t count,
                 std::complex<float> *numbers) const {
    while (count > 0) {
        const std::int64_t index = first >= 0 ? first / run : -((run - 1 - first) / run);
        const std::int64_t offset = first - index * run, taken = std::min(count, run - offset);
        std::copy_n(table_.begin() + static_cast<std::ptrdiff_t>(place(stream, index)) + offset, taken, numbers);
        first += taken;
        count -= taken;
        numbers += taken;
    }
}

} // namespace common
