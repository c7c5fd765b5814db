// Views by the indices of a domain: what a process holds of an array, copies of its neighbours' elements included.
#pragma once

#include <dri/cpp/element.hpp>
#include <dri/cpp/ranges.hpp>
#include <dri/view.h>

#include <cassert>
#include <concepts>

namespace dri {
inline namespace v1 {

// One box of a process, with its overlap, by the indices of the domain. The last dimension is contiguous. It owns
// nothing. LocalView<const T, N> is read only.
template <class T, std::size_t N> class LocalView : detail::Dims<N> {
public:
    using element_type = T;

    // whole: the ranges of the domain. Throws DRI_ERR_UNSUPPORTED unless indices that follow each other differ by
    // one, and lie side by side along the last dimension.
    LocalView(const DRI_View &view, const Ranges<N> &whole) : data_(static_cast<T *>(view.data)) {
        for (std::size_t d = 0; d < N; ++d) {
            const DRI_Range &range = view.range[d];
            const std::int64_t size = view.left[d] + range.size + view.right[d];
            const std::int64_t stride = range.size > 1 ? range.stride : whole[d].stride; // a single member has 1
            const bool is_last = d + 1 == N;
            if (size > 1 && ((stride != 1 && (is_last || stride != -1)) || (is_last && view.step[d] != 1)))
                detail::fail(DRI_ERR_UNSUPPORTED, "local(): the indices of dimension " + std::to_string(d) +
                                                      " do not lie side by side: use forall() or follow()");
            first_[d] = range.first;
            step_[d] = is_last ? 1 : view.step[d] * stride;
            owned_[d] = range;
            held_[d] = Range(range.first - view.left[d] * stride, stride, size);
        }
    }

    // The element of an index, which an assert checks. Elements of others are copies, as the last update has left
    // them.
    template <class... Indices> T &operator()(Indices... indices) const {
        static_assert(sizeof...(Indices) == N, "dri: a LocalView of N dimensions takes exactly N indices");
        static_assert((std::integral<Indices> && ...), "dri: an index is an integer");
        return at({static_cast<std::int64_t>(indices)...});
    }
    T &operator[](const Index<N> &index) const { return at(index); }

    // The indices that the process owns, and those that it holds.
    const Ranges<N> &owned() const noexcept { return owned_; }
    const Ranges<N> &held() const noexcept { return held_; }

private:
    T &at(const Index<N> &index) const {
        assert(held_.contains(index));
        std::int64_t place = index[N - 1] - first_[N - 1];
        for (std::size_t d = 0; d + 1 < N; ++d)
            place += (index[d] - first_[d]) * step_[d];
        return data_[place];
    }

    T *data_;
    Index<N> first_{}, step_{};
    Ranges<N> owned_, held_;
};

} // namespace v1
} // namespace dri
