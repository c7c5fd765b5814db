// Where the members of a chunk lie in the memory of an array.
#pragma once

#include <dri/cpp/domain.hpp>
#include <dri/cpp/zip_nest.hpp>

#include <string>

namespace dri {
inline namespace v1 {
namespace detail {

// Whether all members lie in the box of a view. found: the first of them, and their steps.
template <class E, std::size_t N>
bool find_in(const DRI_View &view, const Ranges<N> &members, MemoryCursor<E, N> &found) {
    found.first = static_cast<E *>(view.data);
    for (std::size_t d = 0; d < N; ++d) {
        const auto dense = densified(members[d], view.range[d]);
        if (!dense)
            return false;
        found.first += dense->first * view.step[d];
        found.step[d] = dense->stride * view.step[d];
    }
    return true;
}

// Throws an error that names the owner of a member. rank: this process.
template <std::size_t N>
[[noreturn, gnu::cold]] void refuse_elsewhere(const Domain<N> &domain, int rank, const Ranges<N> &members) {
    for (const Index<N> &index : members.indices())
        if (const int owner = domain.owner(index); owner != rank) {
            std::string text;
            for (const std::int64_t i : index)
                text += (text.empty() ? "" : ", ") + std::to_string(i);
            fail(DRI_ERR_MISMATCH, "(" + text + ") belongs to process " + std::to_string(owner) +
                                       ": assign it to an array over the leader's domain first");
        }
    fail(DRI_ERR_MISMATCH,
         "the elements of a chunk lie in several boxes of this process: assign them to an array over "
         "the leader's domain first");
}

} // namespace detail
} // namespace v1
} // namespace dri
