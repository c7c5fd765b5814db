// The kernels of statements: an expression as a loop nest over a box of the library.
#pragma once

#include <dri/cpp/elementwise.hpp>
#include <dri/cpp/zip_nest.hpp>

namespace dri {
inline namespace v1 {
namespace detail {

// The element types of the leaves of an expression, in their order.
template <class X> struct LeafTypes { using type = std::tuple<>; };
template <class T, std::size_t N> struct LeafTypes<Leaf<T, N>> { using type = std::tuple<std::type_identity<T>>; };
template <class T, std::size_t N> struct LeafTypes<PlainLeaf<T, N>> {
    using type = std::tuple<std::type_identity<T>>;
};
template <class F, class... X> struct LeafTypes<Expression<F, X...>> {
    using type = decltype(std::tuple_cat(typename LeafTypes<X>::type()...));
};
template <class E, std::size_t k>
using leaf_t = typename std::tuple_element_t<k, typename LeafTypes<E>::type>::type;

inline constexpr std::size_t most_reads = 32;

// The operands of the C interface. dims: of the loop.
template <std::size_t dims, class T, std::size_t N> DRI_Operand *fill(DRI_Operand *next, const Leaf<T, N> &leaf) {
    next->array = leaf.array;
    std::copy_n(leaf.ranges.data(), N, next->slice);
    return next + 1;
}
template <std::size_t dims, class T, std::size_t N>
DRI_Operand *fill(DRI_Operand *next, const PlainLeaf<T, N> &leaf) {
    static_assert(N <= dims, "dri: an operand has no more dimensions than the loop");
    next->data = leaf.view.data();
    for (std::size_t d = 0; d < dims; ++d) {
        const bool has = d + N >= dims;
        const std::size_t own = has ? d + N - dims : 0;
        next->slice[d] = DRI_Range{0, 1, has ? leaf.view.extents()[own] : 1};
        next->steps[d] = has ? leaf.view.strides()[own] * static_cast<std::int64_t>(sizeof(T)) : 0;
    }
    return next + 1;
}
template <std::size_t dims, class T> DRI_Operand *fill(DRI_Operand *next, const Constant<T> &) { return next; }
template <std::size_t dims, class F, class... X>
DRI_Operand *fill(DRI_Operand *next, const Expression<F, X...> &expression) {
    std::apply([&](const auto &...x) { ((next = fill<dims>(next, x)), ...); }, expression.operands());
    return next;
}

// A box of a kernel as the library describes it.
struct KernelBox {
    int ndims;
    const std::int64_t *sizes;
    void *const *data;
    const std::int64_t *const *steps;

    // A loop over whole arrays may have fewer dimensions than they.
    template <std::size_t N> Index<N> extents() const {
        Index<N> found{};
        for (std::size_t d = 0; d < N; ++d)
            found[d] = d + n() < N ? 1 : sizes[d + n() - N];
        return found;
    }
    template <class T, std::size_t N> MemoryCursor<T, N> cursor(std::size_t operand) const {
        MemoryCursor<T, N> found{static_cast<T *>(data[operand]), {}};
        for (std::size_t d = 0; d < N; ++d)
            found.step[d] = d + n() < N ? 0 : steps[operand][d + n() - N] / static_cast<std::int64_t>(sizeof(T));
        return found;
    }

private:
    std::size_t n() const { return static_cast<std::size_t>(ndims); }
};

// Rows of an assignment. The right side is read before the left side is written, so iterations are independent.
// The expression is copied: its numbers stay in registers.
template <class T, class E> struct AssignedRows {
    const E &expression;
    template <class To, class... Reads>
    [[gnu::always_inline]] void row(std::int64_t n, const To to, const Reads... reads) const {
        const E e = expression;
        const std::tuple<Reads...> rows(reads...);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (std::int64_t i = 0; i < n; ++i)
            to[i] = converted<T>(e.template value<0>(rows, i));
    }
};

// Rows of a reduction, into several partial results side by side.
template <class R, class Combine, class E> class ReducedRows {
public:
    ReducedRows(const E &expression, R start) : expression_(expression) { lanes_.fill(start); }

    template <class... Reads> [[gnu::always_inline]] void row(std::int64_t n, const Reads... reads) {
        const E e = expression_;
        const std::tuple<Reads...> rows(reads...);
        std::int64_t i = 0;
        for (; n - i >= width; i += width) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
            for (std::int64_t k = 0; k < width; ++k)
                put(k, e.template value<0>(rows, i + k));
        }
        for (std::int64_t k = 0; i < n; ++k, ++i)
            put(k, e.template value<0>(rows, i));
    }
    R result() const {
        R found = lanes_[0];
        for (std::size_t k = 1; k < lanes_.size(); ++k)
            found = Combine()(found, lanes_[k]);
        return found;
    }

private:
    static constexpr std::int64_t width = 32;
    template <class V> [[gnu::always_inline]] void put(std::int64_t k, const V &value) {
        R &lane = lanes_[static_cast<std::size_t>(k)];
        lane = Combine()(lane, converted<R>(value));
    }

    const E &expression_;
    std::array<R, static_cast<std::size_t>(width)> lanes_;
};

// The kernels of an expression: functions for the C interface. context: the expression.
template <class E, std::size_t N> class Kernels {
public:
    template <class T>
    static int assign(void *context, int ndims, const std::int64_t sizes[], void *const data[],
                      const std::int64_t *const steps[]) {
        const KernelBox box{ndims, sizes, data, steps};
        AssignedRows<T, E> rows{*static_cast<const E *>(context)};
        run(box, rows, Leaves(), box.cursor<T, N>(0));
        return DRI_SUCCESS;
    }
    template <class R, class Combine>
    static int reduce(void *context, int ndims, const std::int64_t sizes[], void *const data[],
                      const std::int64_t *const steps[]) {
        const KernelBox box{ndims, sizes, data, steps};
        ReducedRows<R, Combine, E> rows(*static_cast<const E *>(context), Combine::template start<R>());
        run(box, rows, Leaves());
        *static_cast<R *>(data[0]) = rows.result();
        return DRI_SUCCESS;
    }

private:
    using Leaves = std::make_index_sequence<E::leaves>;
    template <class Rows, std::size_t... K, class... Target>
    [[gnu::always_inline]] static void run(const KernelBox &box, Rows &rows, std::index_sequence<K...>,
                                           const Target &...target) {
        run_box(box.extents<N>(), rows, target..., box.cursor<const leaf_t<E, K>, N>(K + 1)...);
    }
};

} // namespace detail
} // namespace v1
} // namespace dri
