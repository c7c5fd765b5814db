// Every operation on every type that has it, by the library's kernels, with steps of all kinds. The oracle
// computes integers with 128 bits and the rest with the mathematical functions of long double.
#include "support/arrays.hpp"
#include "support/dice.hpp"
#include "support/library.hpp"

#include <dri/loop.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

namespace dri::test {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

Wide floored(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

template <class T> std::optional<T> integer_oracle(int op, T a, T b) {
    const Wide x = a, y = b;
    switch (op) {
    case DRI_OP_COPY: return a;
    case DRI_OP_ADD: return static_cast<T>(x + y);
    case DRI_OP_SUB: return static_cast<T>(x - y);
    case DRI_OP_MUL: return static_cast<T>(static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y));
    case DRI_OP_DIV: return static_cast<T>(y == 0 ? 0 : floored(x, y));
    case DRI_OP_MOD: return static_cast<T>(y == 0 ? 0 : x - floored(x, y) * y);
    case DRI_OP_MIN: return x < y ? a : b;
    case DRI_OP_MAX: return x > y ? a : b;
    case DRI_OP_ABS: return static_cast<T>(x < 0 ? -x : x);
    case DRI_OP_AND: return static_cast<T>(x & y);
    case DRI_OP_OR: return static_cast<T>(x | y);
    case DRI_OP_XOR: return static_cast<T>(x ^ y);
    case DRI_OP_NOT: return static_cast<T>(~x);
    case DRI_OP_NEG: return std::is_signed_v<T> ? std::optional<T>(static_cast<T>(-x)) : std::nullopt;
    }
    return std::nullopt;
}

template <class T> std::optional<T> float_oracle(int op, T a, T b) {
    const long double x = a, y = b;
    switch (op) {
    case DRI_OP_COPY: return a;
    case DRI_OP_ADD: return static_cast<T>(x + y);
    case DRI_OP_SUB: return static_cast<T>(x - y);
    case DRI_OP_MUL: return static_cast<T>(x * y);
    case DRI_OP_DIV: return a / b;
    case DRI_OP_MOD: return static_cast<T>(x - std::floor(x / y) * y);
    case DRI_OP_MIN: return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::fmin(a, b);
    case DRI_OP_MAX: return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : std::fmax(a, b);
    case DRI_OP_NEG: return std::copysign(a, std::signbit(a) ? T{1} : T{-1});
    case DRI_OP_ABS: return std::copysign(a, T{1});
    case DRI_OP_SQRT: return static_cast<T>(std::sqrt(x));
    case DRI_OP_EXP: return static_cast<T>(std::exp(x));
    case DRI_OP_LOG: return static_cast<T>(std::log(x));
    case DRI_OP_SIN: return static_cast<T>(std::sin(x));
    case DRI_OP_COS: return static_cast<T>(std::cos(x));
    case DRI_OP_TANH: return static_cast<T>(std::tanh(x));
    case DRI_OP_POW: return static_cast<T>(std::pow(x, y));
    case DRI_OP_ATAN2: return static_cast<T>(std::atan2(x, y));
    case DRI_OP_FLOOR: return static_cast<T>(std::floor(x));
    case DRI_OP_ROUND: return static_cast<T>(std::nearbyint(x));
    }
    return std::nullopt;
}

template <class C> std::optional<C> complex_oracle(int op, C a, C b) {
    using Exact = std::complex<long double>;
    const Exact x(a), y(b);
    const auto rounded = [](Exact z) {
        return C(static_cast<typename C::value_type>(z.real()), static_cast<typename C::value_type>(z.imag()));
    };
    switch (op) {
    case DRI_OP_COPY: return a;
    case DRI_OP_ADD: return rounded(x + y);
    case DRI_OP_SUB: return rounded(x - y);
    case DRI_OP_MUL: return rounded(x * y);
    case DRI_OP_DIV: return rounded(x / y);
    case DRI_OP_NEG: return rounded(-x);
    case DRI_OP_SQRT: return rounded(std::sqrt(x));
    case DRI_OP_EXP: return rounded(std::exp(x));
    case DRI_OP_CONJ: return rounded(std::conj(x));
    }
    return std::nullopt;
}

// A complex number's operations with a real result.
template <class C> std::optional<typename C::value_type> part_oracle(int op, C a) {
    using R = typename C::value_type;
    const long double x = a.real(), y = a.imag();
    switch (op) {
    case DRI_OP_ABS: return static_cast<R>(std::hypot(x, y));
    case DRI_OP_REAL: return a.real();
    case DRI_OP_IMAG: return a.imag();
    case DRI_OP_MAG2: return static_cast<R>(x * x + y * y);
    }
    return std::nullopt;
}

template <class T> std::optional<uint8_t> comparison_oracle(int op, T a, T b, bool ordered) {
    switch (op) {
    case DRI_OP_EQ: return a == b;
    case DRI_OP_NE: return !(a == b);
    }
    if constexpr (std::is_arithmetic_v<T>)
        switch (ordered ? op : -1) {
        case DRI_OP_LT: return a < b;
        case DRI_OP_LE: return a <= b;
        case DRI_OP_GT: return b < a;
        case DRI_OP_GE: return b <= a;
        }
    return std::nullopt;
}

template <class T> bool is_near(T a, T b) {
    if (a == b || (a != a && b != b))
        return true;
    const T scale = std::max(std::abs(a), std::abs(b));
    return std::abs(a - b) <= 4 * scale * std::numeric_limits<T>::epsilon();
}
template <class T> bool is_near(std::complex<T> a, std::complex<T> b) {
    return std::abs(a - b) <= 8 * std::abs(b) * std::numeric_limits<T>::epsilon();
}
template <class T> bool is_right(T found, T wanted, bool exact) {
    if constexpr (std::is_integral_v<T>)
        return found == wanted;
    else
        return exact ? found == wanted || (found != found && wanted != wanted) : is_near(found, wanted);
}

// Runs the kernel on a box of 2 x n with the steps, and compares all results.
template <class T, class R, class Oracle>
void run_and_compare(int op, int operands, DRI_Type type, Dice &dice, const Oracle &oracle, bool exact) {
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    ASSERT_EQ(DRI_loop_kernel(static_cast<DRI_Op>(op), type, &kernel, &context, nullptr), DRI_SUCCESS)
        << DRI_error_message() << " op " << op;
    const int64_t n = dice.range(1, 40), gap_a = dice.range(0, 2), gap_b = dice.range(0, 2),
                  gap_to = dice.range(1, 2);
    std::vector<T> a(static_cast<size_t>(4 * n)), b(a.size());
    std::vector<R> to(a.size());
    for (std::vector<T> *side : {&a, &b})
        for (T &one : *side) {
            const auto any = static_cast<double>(dice.range(-60, 60));
            if constexpr (std::is_integral_v<T>)
                one = dice.chance(10) ? static_cast<T>(dice.chance(50) ? std::numeric_limits<T>::max()
                                                                       : std::numeric_limits<T>::lowest())
                                      : static_cast<T>(any);
            else if constexpr (std::is_floating_point_v<T>)
                one = static_cast<T>(any / 8 + 0.0625);
            else
                one = T(static_cast<typename T::value_type>(any / 8 + 0.0625),
                        static_cast<typename T::value_type>(dice.range(1, 9)));
        }
    const auto unit = static_cast<int64_t>(sizeof(T)), result = static_cast<int64_t>(sizeof(R));
    const int64_t sizes[]{2, n}, to_steps[]{2 * n * result, gap_to * result},
        a_steps[]{2 * n * unit, gap_a * unit}, b_steps[]{2 * n * unit, gap_b * unit};
    void *const data[]{to.data(), a.data(), b.data()};
    const int64_t *const steps[]{to_steps, a_steps, b_steps};
    ASSERT_EQ(kernel(context, 2, sizes, data, steps), DRI_SUCCESS);
    for (int64_t row = 0; row < 2; ++row)
        for (int64_t i = 0; i < n; ++i) {
            const T x = a[static_cast<size_t>(2 * n * row + i * gap_a)],
                    y = b[static_cast<size_t>(2 * n * row + i * gap_b)];
            const R found = to[static_cast<size_t>(2 * n * row + i * gap_to)];
            ASSERT_TRUE(is_right<R>(found, *oracle(x, y), exact)) << "op " << op << " operands " << operands;
        }
}

bool is_exact(int op) {
    return op <= DRI_OP_ABS || op == DRI_OP_SQRT || op == DRI_OP_FLOOR || op == DRI_OP_ROUND || op >= DRI_OP_CONJ;
}

template <class T> void check_type(DRI_Type type) {
    Dice dice(7);
    for (int op = DRI_OP_COPY; op <= DRI_OP_MAG2; ++op) {
        bool has = false;
        for (int round = 0; round < 12; ++round) {
            const auto compare = [&](T a, T b) { return comparison_oracle(op, a, b, true); };
            if (compare(T{1}, T{1})) {
                has = true;
                run_and_compare<T, uint8_t>(op, 2, type, dice, compare, true);
            }
            if constexpr (std::is_integral_v<T>) {
                const auto oracle = [&](T a, T b) { return integer_oracle(op, a, b); };
                if (oracle(1, 1)) {
                    has = true;
                    run_and_compare<T, T>(op, 2, type, dice, oracle, true);
                }
            } else if constexpr (std::is_floating_point_v<T>) {
                const auto oracle = [&](T a, T b) { return float_oracle(op, a, b); };
                if (oracle(1, 1)) {
                    has = true;
                    run_and_compare<T, T>(op, 2, type, dice, oracle, is_exact(op));
                }
            } else {
                const auto oracle = [&](T a, T b) { return complex_oracle(op, a, b); };
                const auto part = [&](T a, T) { return part_oracle(op, a); };
                if (oracle(T{1}, T{1})) {
                    has = true;
                    run_and_compare<T, T>(op, 2, type, dice, oracle, false);
                }
                if (part(T{1}, T{1})) {
                    has = true;
                    run_and_compare<T, typename T::value_type>(op, 1, type, dice, part, false);
                }
            }
        }
        DRI_Kernel kernel = nullptr;
        void *context = nullptr;
        EXPECT_EQ(DRI_loop_kernel(static_cast<DRI_Op>(op), type, &kernel, &context, nullptr),
                  has ? DRI_SUCCESS : DRI_ERR_UNSUPPORTED)
            << "op " << op;
    }
}

TEST(Operations, Integers) {
    check_type<int8_t>(DRI_INT8);
    check_type<int16_t>(DRI_INT16);
    check_type<int32_t>(DRI_INT32);
    check_type<int64_t>(DRI_INT64);
    check_type<uint8_t>(DRI_UINT8);
    check_type<uint16_t>(DRI_UINT16);
    check_type<uint32_t>(DRI_UINT32);
    check_type<uint64_t>(DRI_UINT64);
}

TEST(Operations, FloatingPoint) {
    check_type<float>(DRI_FLOAT);
    check_type<double>(DRI_DOUBLE);
}

TEST(Operations, Complex) {
    check_type<std::complex<float>>(DRI_COMPLEX_FLOAT);
    check_type<std::complex<double>>(DRI_COMPLEX_DOUBLE);
}

TEST(Operations, RecordsHaveNone) {
    Type record;
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    expect_success(DRI_type_create(6, 2, record.out()), "DRI_type_create");
    EXPECT_EQ(DRI_loop_kernel(DRI_OP_ADD, record, &kernel, &context, nullptr), DRI_ERR_UNSUPPORTED);
    EXPECT_EQ(DRI_loop_kernel(static_cast<DRI_Op>(63), DRI_DOUBLE, &kernel, &context, nullptr), DRI_ERR_ARG);
}

} // namespace
} // namespace dri::test
