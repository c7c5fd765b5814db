// Statements: one loop for each assignment or reduction of an expression, with the expression inlined as its
// kernel.
//
// The plan of a statement is made the first time and found by its slices afterwards. A statement is Collective
// over the processes of its arrays: synchronising the first time, later only with processes whose elements it
// needs. See DRI_loop_create and DRI_loop_run, which say when it fails.
#pragma once

#include <dri/cpp/kernels.hpp>
#include <dri/cpp/unfinished.hpp>

#include <limits>
#include <string>

namespace dri {
inline namespace v1 {
namespace detail {

template <class E> void require_reads() {
    static_assert(E::leaves <= most_reads, "dri: a statement reads 32 slices at most");
}

// The operands of an assignment: the target, then what the expression reads.
template <class To, class E> auto operands_of(const To &to, const E &expression) {
    constexpr std::size_t N = item_dims<To>;
    static_assert(E::dims <= N, "dri: an expression has no more dimensions than what it is assigned to");
    require_reads<E>();
    std::array<DRI_Operand, 1 + E::leaves> operands{};
    fill<N>(operands.data(), Leaf<typename To::element_type, N>{to.handle(), to.ranges()});
    fill<N>(operands.data() + 1, expression);
    return operands;
}

template <std::size_t K> LoopHandle loop_of(const std::array<DRI_Operand, K> &operands) {
    LoopHandle loop;
    check(DRI_loop_create(operands.data(), static_cast<int>(K) - 1, operands.data() + 1, loop.out()));
    return loop;
}

// A statement as one call, and as the calls that go on after a timeout.
template <std::size_t K> struct StatementSteps {
    const std::array<DRI_Operand, K> &operands;
    DRI_Kernel kernel;
    void *context;

    LoopHandle make() const { return loop_of(operands); }
    int run(DRI_Loop loop) const { return DRI_loop_run(loop, kernel, context); }
    int run_once(DRI_Loop *unfinished) const {
        return DRI_loop_do(operands.data(), static_cast<int>(K) - 1, operands.data() + 1, kernel, context,
                           unfinished);
    }
};
template <class R, std::size_t K> struct ReductionSteps {
    const std::array<DRI_Operand, K> &reads;
    DRI_Kernel kernel;
    void *context;
    DRI_Op op;
    R *found;

    LoopHandle make() const {
        LoopHandle loop;
        check(DRI_loop_create(nullptr, static_cast<int>(K), reads.data(), loop.out()));
        return loop;
    }
    int run(DRI_Loop loop) const {
        return DRI_loop_reduce(loop, kernel, context, element<R>::predefined(), 1, op, found);
    }
    int run_once(DRI_Loop *unfinished) const {
        return DRI_loop_do_reduce(static_cast<int>(K), reads.data(), kernel, context, element<R>::predefined(), 1,
                                  op, found, unfinished);
    }
};

template <class To, class E> void run_statement(const To &to, const E &expression) {
    using T = typename To::element_type;
    static_assert(!std::is_const_v<T>, "dri: an assignment changes its left side, which is const");
    static_assert(is_value<T>, "dri: expressions have integers, bool, float, double and std::complex as elements");
    static_assert(is_std_complex<T> || !is_std_complex<typename E::value_type>,
                  "dri: complex values are no real elements: take real(), imag() or abs() of them");
    const auto operands = operands_of(to, expression);
    void *const context = const_cast<E *>(&expression); // not written through: C has one type of context
    const auto kernel = Kernels<E, item_dims<To>>::template assign<T>;
    UnfinishedRuns<E, 1 + E::leaves>::go_on(operands, expression, context,
                                            StatementSteps<1 + E::leaves>{operands, kernel, context});
}

// Whether two slices have equal sizes after dimensions of one member are left out, as an assignment needs.
template <std::size_t N, std::size_t M> bool is_same_shape(const Ranges<N> &a, const Ranges<M> &b) {
    std::size_t i = 0, k = 0;
    while (true) {
        while (i < N && a[i].size == 1)
            ++i;
        while (k < M && b[k].size == 1)
            ++k;
        if (i == N || k == M)
            return i == N && k == M;
        if (a[i++].size != b[k++].size)
            return false;
    }
}

// An assignment of an array or a slice. One with fewer elements is broadcast.
template <class To, class From> void assign_item(To &to, const From &from) {
    using T = std::remove_const_t<typename To::element_type>;
    using V = std::remove_const_t<typename From::element_type>;
    constexpr std::size_t N = item_dims<To>, M = item_dims<From>;
    if constexpr (is_value<T> && is_value<V> && M <= N && is_std_complex<T> == is_std_complex<V>)
        if (!is_same_shape(to.ranges(), from.ranges()))
            return run_statement(to, elementwise<Itself>(from));
    assign(to, from);
}

struct Sum {
    template <class V>
    using result =
        std::conditional_t<is_std_complex<V>, std::complex<double>,
                           std::conditional_t<std::is_floating_point_v<V>, double,
                                              std::conditional_t<std::is_unsigned_v<V> && !std::is_same_v<V, bool>,
                                                                 std::uint64_t, std::int64_t>>>;
    template <class R> static constexpr R start() { return R(); }
    static constexpr DRI_Op op = DRI_OP_SUM;
    template <class R> [[gnu::always_inline]] R operator()(const R &a, const R &b) const { return a + b; }
};
template <class V> using ordered_t = std::conditional_t<std::is_same_v<V, bool>, std::uint8_t, V>;
struct Minimum : Least {
    template <class V> using result = ordered_t<V>;
    template <class R> static constexpr R start() {
        using Limits = std::numeric_limits<R>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    static constexpr DRI_Op op = DRI_OP_MIN;
};
struct Maximum : Greatest {
    template <class V> using result = ordered_t<V>;
    template <class R> static constexpr R start() {
        using Limits = std::numeric_limits<R>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    static constexpr DRI_Op op = DRI_OP_MAX;
};

template <class Reduction, class X> auto reduced(const X &x) {
    const auto expression = elementwise<Itself>(x);
    using E = std::remove_const_t<decltype(expression)>;
    using R = typename Reduction::template result<typename E::value_type>;
    static_assert(Reduction::op == DRI_OP_SUM || !is_std_complex<R>, "dri: complex values have no order");
    require_reads<E>();
    std::array<DRI_Operand, E::leaves> operands{};
    fill<E::dims>(operands.data(), expression);
    R found{};
    void *const context = const_cast<E *>(&expression);
    const auto kernel = Kernels<E, E::dims>::template reduce<R, Reduction>;
    UnfinishedRuns<E, E::leaves>::go_on(
        operands, expression, context,
        ReductionSteps<R, E::leaves>{operands, kernel, context, Reduction::op, &found});
    return found;
}

} // namespace detail

// The sum of all elements, the same bits on all processes. Floats add up in double, integers in 64 bits. Nothing
// is stored. Collective over the processes of the arrays; synchronising. See DRI_loop_reduce.
template <class X>
requires detail::Operands<X>
auto sum(const X &x) { return detail::reduced<detail::Sum>(x); }
// The least and the greatest element. Throw DRI_ERR_ARG if there is none.
template <class X>
requires detail::Operands<X>
auto min(const X &x) {
    return static_cast<typename decltype(detail::elementwise<detail::Itself>(x))::value_type>(
        detail::reduced<detail::Minimum>(x));
}
template <class X>
requires detail::Operands<X>
auto max(const X &x) {
    return static_cast<typename decltype(detail::elementwise<detail::Itself>(x))::value_type>(
        detail::reduced<detail::Maximum>(x));
}

// How `to = expression` is executed: who computes what, and what is fetched. It plans the statement as the
// statement itself does. See DRI_loop_explain.
template <class To, class X>
requires detail::ArrayItem<To> && detail::Operands<X> std::string explain(const To &to, const X &x) {
    const auto loop = detail::loop_of(detail::operands_of(to, detail::elementwise<detail::Itself>(x)));
    return detail::whole_text(
        [&loop](char *text, std::size_t n) { return DRI_loop_explain(loop.get(), text, n); });
}

} // namespace v1
} // namespace dri
