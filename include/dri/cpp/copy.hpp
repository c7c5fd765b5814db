// Copies between Views.
#pragma once

#include <dri/cpp/view.hpp>

#include <type_traits>

namespace dri {
inline namespace v1 {

// Copies all elements between Views of equal extents, which do not overlap. Throws DRI_ERR_ARG if the extents
// differ.
template <class T, class U, std::size_t N, std::size_t M> void copy(const View<T, N> &from, const View<U, M> &to) {
    static_assert(!std::is_const_v<U>, "dri: a View of const elements is not written");
    static_assert(N == M, "dri: copy() needs Views of the same number of dimensions");
    static_assert(std::is_same_v<std::remove_const_t<T>, U>,
                  "dri: copy() converts nothing: both have one element type");
    if (from.extents() != to.extents() || from.size() != to.size())
        detail::fail(DRI_ERR_ARG, "copy(): the extents of the two Views differ");
    if (to.size() == 0)
        return;
    const auto order = detail::memory_order<N>(to.extents(), to.strides());
    std::int64_t length = 1, step_from = 1, step_to = 1, rows = to.size();
    if constexpr (N > 0) {
        const auto fastest = static_cast<int>(order[N - 1]);
        length = to.extent(fastest);
        step_from = from.stride(fastest);
        step_to = to.stride(fastest);
        rows /= length;
    }
    const T *in = from.data();
    U *out = to.data();
    for (Index<N> at{}; rows > 0; --rows) {
        if (step_from == 1 && step_to == 1)
            for (std::int64_t i = 0; i < length; ++i)
                out[i] = in[i];
        else
            for (std::int64_t i = 0; i < length; ++i)
                out[i * step_to] = in[i * step_from];
        if constexpr (N > 1)
            for (std::size_t k = N - 1; k-- > 0;) {
                const auto d = static_cast<std::size_t>(order[k]);
                in += from.strides()[d];
                out += to.strides()[d];
                if (++at[d] < to.extents()[d])
                    break;
                in -= from.strides()[d] * to.extents()[d];
                out -= to.strides()[d] * to.extents()[d];
                at[d] = 0;
            }
    }
}

} // namespace v1
} // namespace dri
