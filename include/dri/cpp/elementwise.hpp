// Operators and functions of expressions.
//
// + - * / % & | ^ ~ ! && || and comparisons, abs sqrt exp log sin cos tanh pow atan2 floor round conj real imag
// mag2 min max where. Division and remainder are those of C++. A min or max with a NaN is a NaN. round() rounds
// halves to even.
#pragma once

#include <dri/cpp/expression.hpp>

#include <cmath>
#include <functional>

namespace dri {
inline namespace v1 {
namespace detail {

struct Itself {
    template <class T> [[gnu::always_inline]] constexpr T operator()(const T &x) const { return x; }
};

// A function of two values of the type in which they meet.
template <class Op> struct Binary {
    template <class A, class B> [[gnu::always_inline]] constexpr auto operator()(const A &a, const B &b) const {
        using Type = common_t<A, B>;
        return Op()(converted<Type>(a), converted<Type>(b));
    }
};

// As numpy: a complex product has no special cases, so that it is a plain loop.
struct Product {
    template <class T> [[gnu::always_inline]] constexpr auto operator()(const T &a, const T &b) const {
        if constexpr (is_std_complex<T>)
            return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
        else
            return a * b;
    }
};
// A real factor scales both parts.
struct Times {
    template <class A, class B> [[gnu::always_inline]] constexpr auto operator()(const A &a, const B &b) const {
        using Type = common_t<A, B>;
        using Part = component_t<Type>;
        if constexpr (is_std_complex<A> && !is_std_complex<B>)
            return Type(static_cast<Part>(a.real()) * static_cast<Part>(b),
                        static_cast<Part>(a.imag()) * static_cast<Part>(b));
        else if constexpr (is_std_complex<B> && !is_std_complex<A>)
            return Type(static_cast<Part>(a) * static_cast<Part>(b.real()),
                        static_cast<Part>(a) * static_cast<Part>(b.imag()));
        else
            return Product()(converted<Type>(a), converted<Type>(b));
    }
};

// Both sides of each are computed, so that they are plain loops.
struct Least {
    template <class T> [[gnu::always_inline]] constexpr T operator()(const T &a, const T &b) const {
        return static_cast<bool>(int(a < b) | int(a != a)) ? a : b;
    }
};
struct Greatest {
    template <class T> [[gnu::always_inline]] constexpr T operator()(const T &a, const T &b) const {
        return static_cast<bool>(int(a > b) | int(a != a)) ? a : b;
    }
};
struct Power {
    template <class T> auto operator()(const T &a, const T &b) const { return std::pow(a, b); }
};
struct Angle {
    template <class T> auto operator()(const T &a, const T &b) const { return std::atan2(a, b); }
};

struct Chosen {
    template <class C, class A, class B>
    [[gnu::always_inline]] constexpr auto operator()(const C &condition, const A &a, const B &b) const {
        using Type = common_t<A, B>;
        return static_cast<bool>(condition) ? converted<Type>(a) : converted<Type>(b);
    }
};

struct Absolute {
    template <class T> [[gnu::always_inline]] auto operator()(const T &x) const {
        if constexpr (std::is_unsigned_v<T>)
            return x;
        else if constexpr (std::is_integral_v<T>)
            return x < 0 ? static_cast<T>(0 - x) : x;
        else
            return std::abs(x);
    }
};
struct Root {
    template <class T> auto operator()(const T &x) const { return std::sqrt(x); }
};
struct Exponential {
    template <class T> auto operator()(const T &x) const { return std::exp(x); }
};
struct Logarithm {
    template <class T> auto operator()(const T &x) const { return std::log(x); }
};
struct Sine {
    template <class T> auto operator()(const T &x) const { return std::sin(x); }
};
struct Cosine {
    template <class T> auto operator()(const T &x) const { return std::cos(x); }
};
struct HyperbolicTangent {
    template <class T> auto operator()(const T &x) const { return std::tanh(x); }
};
struct Floor {
    template <class T> auto operator()(const T &x) const {
        if constexpr (std::is_integral_v<T>)
            return x;
        else
            return std::floor(x);
    }
};
struct Rounded {
    template <class T> auto operator()(const T &x) const {
        if constexpr (std::is_integral_v<T>)
            return x;
        else
            return std::nearbyint(x);
    }
};
struct Conjugate {
    template <class T> auto operator()(const T &x) const {
        if constexpr (is_std_complex<T>)
            return T(x.real(), -x.imag());
        else
            return x;
    }
};
struct RealPart {
    template <class T> auto operator()(const T &x) const { return static_cast<component_t<T>>(std::real(x)); }
};
struct ImaginaryPart {
    template <class T> auto operator()(const T &x) const { return static_cast<component_t<T>>(std::imag(x)); }
};
struct SquaredMagnitude {
    template <class T> auto operator()(const T &x) const {
        if constexpr (is_std_complex<T>)
            return x.real() * x.real() + x.imag() * x.imag();
        else
            return x * x;
    }
};

} // namespace detail

template <class A, class B>
requires detail::Operands<A, B>
auto operator+(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::plus<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator-(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::minus<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator*(const A &a, const B &b) { return detail::elementwise<detail::Times>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator/(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::divides<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator%(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::modulus<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator&(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::bit_and<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator|(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::bit_or<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator^(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::bit_xor<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator&&(const A &a, const B &b) { return detail::elementwise<std::logical_and<>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator||(const A &a, const B &b) { return detail::elementwise<std::logical_or<>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator==(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::equal_to<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator!=(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::not_equal_to<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator<(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::less<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator<=(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::less_equal<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator>(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::greater<>>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto operator>=(const A &a, const B &b) { return detail::elementwise<detail::Binary<std::greater_equal<>>>(a, b); }
template <class X>
requires detail::Operands<X>
auto operator-(const X &x) { return detail::elementwise<std::negate<>>(x); }
template <class X>
requires detail::Operands<X>
auto operator~(const X &x) { return detail::elementwise<std::bit_not<>>(x); }
template <class X>
requires detail::Operands<X>
auto operator!(const X &x) { return detail::elementwise<std::logical_not<>>(x); }

template <class X>
requires detail::Operands<X>
auto abs(const X &x) { return detail::elementwise<detail::Absolute>(x); }
template <class X>
requires detail::Operands<X>
auto sqrt(const X &x) { return detail::elementwise<detail::Root>(x); }
template <class X>
requires detail::Operands<X>
auto exp(const X &x) { return detail::elementwise<detail::Exponential>(x); }
template <class X>
requires detail::Operands<X>
auto log(const X &x) { return detail::elementwise<detail::Logarithm>(x); }
template <class X>
requires detail::Operands<X>
auto sin(const X &x) { return detail::elementwise<detail::Sine>(x); }
template <class X>
requires detail::Operands<X>
auto cos(const X &x) { return detail::elementwise<detail::Cosine>(x); }
template <class X>
requires detail::Operands<X>
auto tanh(const X &x) { return detail::elementwise<detail::HyperbolicTangent>(x); }
template <class X>
requires detail::Operands<X>
auto floor(const X &x) { return detail::elementwise<detail::Floor>(x); }
template <class X>
requires detail::Operands<X>
auto round(const X &x) { return detail::elementwise<detail::Rounded>(x); }
template <class X>
requires detail::Operands<X>
auto conj(const X &x) { return detail::elementwise<detail::Conjugate>(x); }
template <class X>
requires detail::Operands<X>
auto real(const X &x) { return detail::elementwise<detail::RealPart>(x); }
template <class X>
requires detail::Operands<X>
auto imag(const X &x) { return detail::elementwise<detail::ImaginaryPart>(x); }
// The square of the magnitude.
template <class X>
requires detail::Operands<X>
auto mag2(const X &x) { return detail::elementwise<detail::SquaredMagnitude>(x); }
template <class A, class B>
requires detail::Operands<A, B>
auto pow(const A &a, const B &b) { return detail::elementwise<detail::Binary<detail::Power>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto atan2(const A &a, const B &b) { return detail::elementwise<detail::Binary<detail::Angle>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto min(const A &a, const B &b) { return detail::elementwise<detail::Binary<detail::Least>>(a, b); }
template <class A, class B>
requires detail::Operands<A, B>
auto max(const A &a, const B &b) { return detail::elementwise<detail::Binary<detail::Greatest>>(a, b); }
// a where the condition holds, otherwise b.
template <class C, class A, class B>
requires detail::Operands<C, A, B>
auto where(const C &condition, const A &a, const B &b) {
    using Value = detail::meeting_t<A, B>;
    return detail::expression<detail::Chosen>(detail::node<bool>(condition), detail::node<Value>(a),
                                              detail::node<Value>(b));
}

} // namespace v1
} // namespace dri
