// Compound assignments: `a[r] += b[r]`. A number is Local, all others are statements.
#pragma once

#include <dri/cpp/forall.hpp>
#include <dri/cpp/loop.hpp>

namespace dri {
inline namespace v1 {
namespace detail {

// Changes the elements of `to` by a function of each and what is at its place in x.
template <class F, class To, class X> void change(To &to, const X &x) {
    using T = typename To::element_type;
    static_assert(!std::is_const_v<T> && (requires { to.array(); } || !std::is_const_v<To>),
                  "dri: an assignment changes its left side, which is const");
    if constexpr (is_value<X>)
        forall(to, [by = node<T>(x).value](T &t) { t = converted<T>(F()(t, by)); });
    else
        run_statement(to, elementwise<F>(to, x));
}

template <class To, class X>
concept Changed = ArrayItem<std::remove_cvref_t<To>> && Operands<std::remove_cvref_t<To>, X>;

} // namespace detail

template <class To, class X>
requires detail::Changed<To, X> To operator+=(To &&to, const X &x) {
    detail::change<detail::Binary<std::plus<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator-=(To &&to, const X &x) {
    detail::change<detail::Binary<std::minus<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator*=(To &&to, const X &x) {
    detail::change<detail::Times>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator/=(To &&to, const X &x) {
    detail::change<detail::Binary<std::divides<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator%=(To &&to, const X &x) {
    detail::change<detail::Binary<std::modulus<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator&=(To &&to, const X &x) {
    detail::change<detail::Binary<std::bit_and<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator|=(To &&to, const X &x) {
    detail::change<detail::Binary<std::bit_or<>>>(to, x);
    return std::forward<To>(to);
}
template <class To, class X>
requires detail::Changed<To, X> To operator^=(To &&to, const X &x) {
    detail::change<detail::Binary<std::bit_xor<>>>(to, x);
    return std::forward<To>(to);
}

} // namespace v1
} // namespace dri
