// Expressions: arithmetic on arrays and slices, element by element.
//
//     b[r] = 0.5 * (a[r.shift(-1)] + a[r.shift(1)]);   // one loop, with what it needs of neighbours
//     a += dri::abs(b) + 1;
//     const double most = dri::max(b - a);             // nothing is stored
//
// An expression computes nothing. It refers to its arrays, so it is assigned or reduced in the statement that
// makes it. Operands are slices and arrays, numbers, and Views of memory that has equal contents on all processes.
// They are broadcast as in numpy: dimensions align at the right, and a dimension of size 1 counts for all
// positions.
//
// Values are those of C++: integers are promoted, an integer and a float give a float, the larger type wins.
// A number beside float, double or complex elements takes their precision, so that 0.5 * a stays float for float
// elements. Real and complex types mix.
#pragma once

#include <dri/cpp/assign.hpp>
#include <dri/cpp/view.hpp>
#include <dri/loop.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// Elements of expressions.
template <class T> inline constexpr bool is_value = std::is_arithmetic_v<T>;
template <> inline constexpr bool is_value<std::complex<float>> = true;
template <> inline constexpr bool is_value<std::complex<double>> = true;
template <> inline constexpr bool is_value<long double> = false;

template <class T> struct Component { using type = T; };
template <class T> struct Component<std::complex<T>> { using type = T; };
template <class T> using component_t = typename Component<T>::type;
template <class T> inline constexpr bool is_std_complex = !std::is_same_v<component_t<T>, T>;

// The type in which values of two types meet.
template <class A, class B> struct Common { using type = decltype(std::declval<A>() + std::declval<B>()); };
template <class A, class B>
requires(is_std_complex<A> || is_std_complex<B>) struct Common<A, B> {
    using type = std::complex<std::common_type_t<component_t<A>, component_t<B>>>;
};
template <class T> struct Common<T, T> { using type = T; };
template <class A, class B> using common_t = typename Common<A, B>::type;

template <class To, class From> [[gnu::always_inline]] constexpr To converted(const From &from) {
    if constexpr (is_std_complex<To> && !is_std_complex<From>)
        return To(static_cast<component_t<To>>(from));
    else
        return static_cast<To>(from);
}

// A number beside elements of type V.
template <class V, class S>
using beside_t =
    std::conditional_t<std::is_floating_point_v<component_t<V>> && !std::is_same_v<S, bool>,
                       std::conditional_t<is_std_complex<S>, std::complex<component_t<V>>, component_t<V>>, S>;

// A read of a statement. T is not const.
template <class T, std::size_t N> struct Leaf {
    using value_type = T;
    static constexpr std::size_t dims = N, leaves = 1;
    DRI_Array array;
    Ranges<N> ranges;
};

// A read of memory that all processes have.
template <class T, std::size_t N> struct PlainLeaf {
    using value_type = T;
    static constexpr std::size_t dims = N, leaves = 1;
    View<const T, N> view;
};

template <class T> struct Constant {
    using value_type = T;
    static constexpr std::size_t dims = 0, leaves = 0;
    T value;
};

template <std::size_t N> std::integral_constant<std::size_t, N> count_dims(const Ranges<N> &);
template <class X>
inline constexpr std::size_t item_dims = decltype(count_dims(std::declval<const X &>().ranges()))::value;

template <class T, std::size_t N> PlainLeaf<std::remove_const_t<T>, N> plain_leaf(const View<T, N> &view) {
    return {view};
}

} // namespace detail

// A function of the elements of its operands. It is made by the operators and functions of arrays.
template <class F, class... X> class Expression {
public:
    using value_type = std::decay_t<std::invoke_result_t<F, typename X::value_type...>>;
    static constexpr std::size_t dims = std::max({X::dims...}), leaves = (X::leaves + ...);

    explicit Expression(const X &...operands) : operands_(operands...) {}
    const std::tuple<X...> &operands() const noexcept { return operands_; }

    // The value at place i of rows, of which the leaves have those from number `first` on.
    template <std::size_t first, class Rows>
    [[gnu::always_inline]] value_type value(const Rows &rows, std::int64_t i) const {
        return value_of<first>(rows, i, std::index_sequence_for<X...>());
    }

private:
    template <std::size_t k> static constexpr std::size_t leaves_before() {
        constexpr std::array<std::size_t, sizeof...(X)> counts{X::leaves...};
        std::size_t sum = 0;
        for (std::size_t i = 0; i < k; ++i)
            sum += counts[i];
        return sum;
    }
    template <std::size_t first, class Rows, class Operand>
    [[gnu::always_inline]] static typename Operand::value_type operand(const Rows &rows, std::int64_t i,
                                                                       const Operand &x) {
        if constexpr (Operand::leaves == 0)
            return x.value;
        else if constexpr (requires { x.operands(); })
            return x.template value<first>(rows, i);
        else
            return std::get<first>(rows)[i];
    }
    template <std::size_t first, class Rows, std::size_t... K>
    [[gnu::always_inline]] value_type value_of(const Rows &rows, std::int64_t i, std::index_sequence<K...>) const {
        return F()(operand<first + leaves_before<K>()>(rows, i, std::get<K>(operands_))...);
    }

    std::tuple<X...> operands_;
};

namespace detail {

template <class X> inline constexpr bool is_expression = false;
template <class F, class... X> inline constexpr bool is_expression<Expression<F, X...>> = true;
template <class X>
concept ExpressionLike = is_expression<std::remove_cvref_t<X>>;

// What has elements: an Array, a Slice or an Expression.
template <class X>
concept Elements = ArrayItem<X> || ExpressionLike<X>;
template <class X>
concept PlainElements = requires(const X &x) {
    plain_leaf(x);
};

// What the operators and functions of expressions take: one operand at least has elements of arrays.
template <class... X>
concept Operands = (Elements<X> || ...) && ((Elements<X> || PlainElements<X> || is_value<X>)&&...);

// The value type of an operand, of which numbers count only if there is nothing else.
template <class X> auto value_type_of() {
    if constexpr (ArrayItem<X>)
        return std::remove_const_t<typename X::element_type>();
    else if constexpr (ExpressionLike<X>)
        return typename X::value_type();
    else if constexpr (PlainElements<X>)
        return typename X::value_type();
    else
        return X();
}
struct NoValue {};
template <class A, class B> auto meet(A a, B b) {
    if constexpr (std::is_same_v<A, NoValue>)
        return b;
    else if constexpr (std::is_same_v<B, NoValue>)
        return a;
    else
        return common_t<A, B>();
}
template <class First, class... Rest> auto values_meet(First first, Rest... rest) {
    if constexpr (sizeof...(Rest) == 0)
        return first;
    else
        return meet(first, values_meet(rest...));
}
template <class X> auto element_value() {
    if constexpr (is_value<X>)
        return NoValue();
    else
        return value_type_of<X>();
}
template <class... X> using meeting_t = decltype(values_meet(element_value<X>()...));

// An operand as a part of an expression. V: the type of the elements beside it.
template <class V, class X> auto node(const X &x) {
    if constexpr (ExpressionLike<X>) {
        return x;
    } else if constexpr (is_value<X>) {
        if constexpr (std::is_same_v<V, NoValue>)
            return Constant<X>{x};
        else
            return Constant<beside_t<V, X>>{converted<beside_t<V, X>>(x)};
    } else {
        static_assert(is_value<decltype(value_type_of<X>())>,
                      "dri: expressions have integers, bool, float, double and std::complex as elements");
        if constexpr (ArrayItem<X>)
            return Leaf<decltype(value_type_of<X>()), item_dims<X>>{x.handle(), x.ranges()};
        else
            return plain_leaf(x);
    }
}

template <class F, class... Nodes> Expression<F, Nodes...> expression(const Nodes &...nodes) {
    return Expression<F, Nodes...>(nodes...);
}
template <class F, class... X> auto elementwise(const X &...x) {
    return expression<F>(node<meeting_t<X...>>(x)...);
}

} // namespace detail
} // namespace v1
} // namespace dri
