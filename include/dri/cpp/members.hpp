// Where the members of a chunk lie in the memory of an array.
#pragma once

#include <dri/array.h>
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

// An element that the process owns, or null with the code of the failure.
template <class T> struct Found {
    T *element;
    int code;
};

// first: the view of the first box, in which the element lies in most cases; null: the library is asked.
template <class T, std::size_t N>
Found<T> find_element(const DRI_View *first, DRI_Array array, const Index<N> &index) noexcept {
    if (first) {
        std::int64_t place = 0;
        std::size_t d = 0;
        for (; d < N; ++d) {
            const std::int64_t along = order_in(first->range[d], index[d]);
            if (along < 0)
                break;
            place += along * first->step[d];
        }
        if (d == N)
            return {static_cast<T *>(first->data) + place, DRI_SUCCESS};
    }
    void *element = nullptr;
    const int code = DRI_array_at(array, index.data(), &element);
    return {code == DRI_SUCCESS ? static_cast<T *>(element) : nullptr, code};
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
