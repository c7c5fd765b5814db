// Chunks: what a leader cuts a domain into, and the indices of a follower.
#pragma once

#include <dri/cpp/ranges.hpp>

#include <vector>

namespace dri {
inline namespace v1 {

// A box of dense indices, and the task that works on it. A value: any domain or array of the same shape may follow
// it, on any process.
template <std::size_t N> struct Chunk {
    Ranges<N> dense;
    int task = 0;
    friend bool operator==(const Chunk &, const Chunk &) = default;
};

namespace detail {

// The indices whose dense indices are in these sequences, row-major: a random-access range.
template <std::size_t N>
auto indices_along(const std::array<std::vector<std::int64_t>, N> &dense, const Ranges<N> &whole) {
    std::int64_t n = 1;
    std::array<std::vector<std::int64_t>, N> along = dense;
    for (std::size_t d = 0; d < N; ++d) {
        n *= static_cast<std::int64_t>(dense[d].size());
        for (std::int64_t &place : along[d])
            place = whole[d].at(place);
    }
    return Indexed(n, [along](std::int64_t i) {
        Index<N> index{};
        for (std::size_t d = N; d-- > 0;) {
            const auto size = static_cast<std::int64_t>(along[d].size());
            index[d] = along[d][static_cast<std::size_t>(i % size)];
            i /= size;
        }
        return index;
    });
}

} // namespace detail
} // namespace v1
} // namespace dri
