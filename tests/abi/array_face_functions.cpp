// The operators and functions of expressions, element by element.
#include "array_face.hpp"

namespace {

using namespace array_face;

constexpr std::int64_t line_size = 37;

// An array of each type with the elements that a function of the index gives.
template <class T> Array<T, 1> made(const std::function<T(std::int64_t)> &value) {
    Array<T, 1> a({line_size});
    set(a, [&](auto at) { return value(at[0]); });
    return a;
}

// Compares an expression with a function of the elements at each index.
template <class X, class F> void expect_values(const X &expression, const F &value) {
    using V = typename X::value_type;
    using T = std::conditional_t<std::is_same_v<V, bool>, int, V>;
    Array<T, 1> found({line_size});
    found = expression;
    expect(found, [&](auto at) { return value(at[0]); });
}

TEST(ArrayFaceFunctions, OfRealNumbers) {
    const auto x = [](std::int64_t i) { return 0.37 * static_cast<double>(i - 11); };
    const auto y = [](std::int64_t i) { return 1.0 + static_cast<double>(i * i % 17); };
    const auto a = made<double>(x), b = made<double>(y);
    expect_values(a + b, [&](auto i) { return x(i) + y(i); });
    expect_values(a - 2 * b, [&](auto i) { return x(i) - 2 * y(i); });
    expect_values(-a / b, [&](auto i) { return -x(i) / y(i); });
    expect_values(dri::abs(a), [&](auto i) { return std::abs(x(i)); });
    expect_values(dri::sqrt(b), [&](auto i) { return std::sqrt(y(i)); });
    expect_values(dri::exp(a), [&](auto i) { return std::exp(x(i)); });
    expect_values(dri::log(b), [&](auto i) { return std::log(y(i)); });
    expect_values(dri::sin(a) * dri::cos(a), [&](auto i) { return std::sin(x(i)) * std::cos(x(i)); });
    expect_values(dri::tanh(a), [&](auto i) { return std::tanh(x(i)); });
    expect_values(dri::pow(b, a), [&](auto i) { return std::pow(y(i), x(i)); });
    expect_values(dri::pow(2, a), [&](auto i) { return std::pow(2.0, x(i)); });
    expect_values(dri::atan2(a, b), [&](auto i) { return std::atan2(x(i), y(i)); });
    expect_values(dri::floor(a), [&](auto i) { return std::floor(x(i)); });
    expect_values(dri::min(a, 1), [&](auto i) { return std::min(x(i), 1.0); });
    expect_values(dri::max(a, b), [&](auto i) { return std::max(x(i), y(i)); });
    expect_values(dri::where(a < b, a, 0), [&](auto i) { return x(i) < y(i) ? x(i) : 0; });
    expect_values(dri::where(a > 0 && !(b > 5), 1, 2), [&](auto i) { return x(i) > 0 && y(i) <= 5 ? 1 : 2; });
    expect_values(a <= 0 || b >= 9, [&](auto i) { return x(i) <= 0 || y(i) >= 9; });
    expect_values(a == a, [](auto) { return 1; });
    expect_values(a != b, [&](auto i) { return x(i) != y(i); });
    expect_values(dri::mag2(a) + dri::conj(b) + dri::imag(b), [&](auto i) { return x(i) * x(i) + y(i); });
    const auto halves = made<double>([](auto i) { return 0.5 * static_cast<double>(i); });
    expect_values(dri::round(halves), [](auto i) { return i % 2 == 0 ? i / 2 : i % 4 == 1 ? i / 2 : i / 2 + 1; });
}

TEST(ArrayFaceFunctions, OfNaN) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto a = made<double>([&](auto i) { return i % 3 == 0 ? nan : 1.0; });
    const auto b = made<double>([&](auto i) { return i % 3 == 1 ? nan : 2.0; });
    expect_values(dri::min(a, b) != dri::min(a, b), [](auto i) { return i % 3 != 2; });
    expect_values(dri::max(b, a) != dri::max(b, a), [](auto i) { return i % 3 != 2; });
}

TEST(ArrayFaceFunctions, OfIntegers) {
    const auto x = [](std::int64_t i) { return static_cast<int>(i * 7 - 50); };
    const auto y = [](std::int64_t i) { return static_cast<int>(i % 5 + 1); };
    const auto a = made<int>(x), b = made<int>(y);
    expect_values(a / b, [&](auto i) { return x(i) / y(i); });
    expect_values(a % b, [&](auto i) { return x(i) % y(i); });
    expect_values((a & 12) | (b ^ 3), [&](auto i) { return (x(i) & 12) | (y(i) ^ 3); });
    expect_values(~a, [&](auto i) { return ~x(i); });
    expect_values(dri::abs(a), [&](auto i) { return std::abs(x(i)); });
    expect_values(dri::max(a, b) - dri::min(a, b), [&](auto i) { return std::abs(x(i) - y(i)); });
    expect_values(0.5 * a, [&](auto i) { return 0.5 * x(i); });
    const auto small = made<std::int8_t>([](auto i) { return static_cast<std::int8_t>(i + 90); });
    expect_values(small + small, [](auto i) { return 2 * i + 180; }); // promoted, as in C++
    Array<std::uint8_t, 1> bytes({line_size});
    bytes = small + small;
    expect(bytes, [](auto at) { return (2 * at[0] + 180) % 256; });
}

TEST(ArrayFaceFunctions, OfComplexNumbers) {
    using Complex = std::complex<float>;
    const auto x = [](std::int64_t i) { return Complex(static_cast<float>(i), static_cast<float>(3 - i)); };
    const auto a = made<Complex>(x);
    const auto b = made<float>([](auto i) { return static_cast<float>(i % 4); });
    expect_values(a * dri::conj(a), [&](auto i) { return Complex(std::norm(x(i)), 0); });
    expect_values(dri::mag2(a), [&](auto i) { return std::norm(x(i)); });
    expect_values(dri::real(a) - dri::imag(a), [&](auto i) { return x(i).real() - x(i).imag(); });
    expect_values(0.5 * a + b, [&](auto i) { return 0.5F * x(i) + static_cast<float>(i % 4); });
    expect_values(b * a, [&](auto i) { return static_cast<float>(i % 4) * x(i); });
    expect_values(a * Complex(0, 1), [&](auto i) { return Complex(-x(i).imag(), x(i).real()); });
    expect_values(dri::abs(a), [&](auto i) { return std::abs(x(i)); });
    expect_values(a == x(5), [](auto i) { return i == 5; });
    expect_values(dri::exp(a) / a, [&](auto i) { return std::exp(x(i)) / x(i); });
    expect_values(dri::sqrt(a), [&](auto i) { return std::sqrt(x(i)); });
    const auto wide = made<double>([](auto i) { return static_cast<double>(i); });
    static_assert(std::is_same_v<decltype(a * wide)::value_type, std::complex<double>>);
    expect_values(a * wide, [&](auto i) { return std::complex<double>(x(i)) * static_cast<double>(i); });
}

TEST(ArrayFaceFunctions, KeepTheTypeOfElementsBesideNumbers) {
    const Array<float, 1> a({line_size});
    const Array<std::int16_t, 1> b({line_size});
    static_assert(std::is_same_v<decltype(0.25 * a)::value_type, float>);
    static_assert(std::is_same_v<decltype(a + 1)::value_type, float>);
    static_assert(std::is_same_v<decltype(b + b)::value_type, int>);
    static_assert(std::is_same_v<decltype(b * 0.5)::value_type, double>);
    static_assert(std::is_same_v<decltype(a * b)::value_type, float>);
    static_assert(std::is_same_v<decltype(a < b)::value_type, bool>);
    static_assert(std::is_same_v<decltype(dri::where(a < b, a, 1.0))::value_type, float>);
    static_assert(decltype(a + b)::leaves == 2 && decltype(a + b)::dims == 1);
}

} // namespace
