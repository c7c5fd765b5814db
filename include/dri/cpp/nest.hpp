// Loops over what a process owns of a buffer, as nests of loops.
#pragma once

#include <dri/cpp/placement.hpp>
#include <dri/cpp/rows.hpp>

#include <concepts>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// The nests of one buffer. A function is inlined into all of them, so that whatever it refers to may stay in
// registers.
template <class T, std::size_t N> class Nest {
public:
    // A call, so that nothing of it takes registers from the loops.
    [[gnu::noinline]] Nest(T *data, const Placement<T, N> &placement)
        : data_(data), strides_(placement.strides), runs_(&placement.runs()),
          order_(memory_order<N>(placement.extents, strides_)) {
        if constexpr (N > 0) {
            const auto fastest = static_cast<std::size_t>(order_[N - 1]);
            step_ = placement.extents[fastest] > 1 ? strides_[fastest] : 1;
            bool rises = fastest == N - 1, falls = fastest == 0, is_box = step_ == 1;
            for (std::size_t k = 0; k < N; ++k) {
                const auto d = static_cast<std::size_t>(order_[k]);
                is_box = is_box && (*runs_)[d].size() == 1;
                if (k == 0 || placement.extents[static_cast<std::size_t>(order_[k - 1])] <= 1)
                    continue;
                rises = rises && order_[k - 1] < order_[k];
                falls = falls && order_[k - 1] > order_[k];
            }
            kind_ = is_box && rises ? Kind::row_major : is_box && falls ? Kind::col_major : Kind::any;
            for (std::size_t d = 0; d < N && kind_ != Kind::any; ++d) {
                const Run &run = (*runs_)[d][0];
                first_[d] = run.global;
                sizes_[d] = run.size;
                data_ += run.local * strides_[d];
            }
        }
    }

    template <class F> [[gnu::always_inline]] void run(F &function) const {
        if constexpr (N == 0)
            call(function, {}, *data_);
        else if (kind_ == Kind::row_major) [[likely]]
            box<true, 0>(data_, {}, first_, sizes_, strides_, function);
        else if (kind_ == Kind::col_major) [[likely]]
            box<false, 0>(data_, {}, first_, sizes_, strides_, function);
        else
            any(static_cast<std::size_t>(order_[N - 1]), function, std::make_index_sequence<N>());
    }

private:
    enum class Kind { row_major, col_major, any };

    template <class F> [[gnu::always_inline]] static void call(F &function, const Index<N> &at, T &x) {
        if constexpr (std::invocable<F &, const Index<N> &, T &>)
            function(at, x);
        else
            function(x);
    }

    // A box whose rows are contiguous, with constant dimensions. Everything is passed by value: elements might
    // otherwise share memory with it.
    template <bool is_row_major, std::size_t k, class F>
    [[gnu::always_inline]] static void box(T *data, Index<N> at, const Index<N> first, const Index<N> sizes,
                                           const Index<N> strides, F &function) {
        constexpr std::size_t d = is_row_major ? k : N - 1 - k;
        for (std::int64_t i = 0; i < sizes[d]; ++i) {
            at[d] = first[d] + i;
            if constexpr (k + 1 == N)
                call(function, at, data[i]);
            else
                box<is_row_major, k + 1>(data + i * strides[d], at, first, sizes, strides, function);
        }
    }

    // Any order and any runs. The fastest dimension becomes a constant.
    template <class F, std::size_t... D>
    [[gnu::always_inline]] void any(std::size_t fastest, F &function, std::index_sequence<D...>) const {
        static_cast<void>(((fastest == D && (rows<D, 0>(data_, {}, function), true)) || ...));
    }
    template <std::size_t fast, std::size_t k, class F>
    [[gnu::always_inline]] void rows(T *data, Index<N> at, F &function) const {
        const auto d = k + 1 == N ? fast : static_cast<std::size_t>(order_[k]);
        const std::int64_t step = k + 1 == N ? step_ : strides_[d];
        for (const Run run : (*runs_)[d]) {
            T *const data_of_run = data + run.local * step;
            for (std::int64_t i = 0; i < run.size; ++i) {
                at[k + 1 == N ? fast : d] = run.global + i;
                if constexpr (k + 1 == N)
                    call(function, at, data_of_run[i * step]);
                else
                    rows<fast, k + 1>(data_of_run + i * step, at, function);
            }
        }
    }

    T *data_; // of a box: its first element
    const Index<N> strides_;
    const typename Placement<T, N>::Runs *runs_;
    const std::array<int, N> order_; // from the slowest dimension to the fastest
    std::int64_t step_ = 1;          // from one element of a row to the next
    Kind kind_ = Kind::any;
    Index<N> first_{}, sizes_{}; // of a box
};

} // namespace detail
} // namespace v1
} // namespace dri
