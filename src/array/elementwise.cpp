// Rows of operations, from one template, and boxes of rows.
#include "array/elementwise.hpp"

#include "array/operations.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>

namespace dri::array {

namespace {

// A result may lie where an operand lies, element by element.
#ifdef __clang__
#define DRI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DRI_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T> const T &element_at(const std::byte *at) { return *reinterpret_cast<const T *>(at); }

// One of the operands, or both, is the same for all elements.
template <class Op, class T, class R>
[[gnu::always_inline]] inline void row_with_constant(R *out, const T *left, const T *right, int64_t n,
                                                     bool left_moves, bool right_moves) {
    if (n == 0)
        return;
    const T a = *left, b = *right;
    if (left_moves) {
        DRI_INDEPENDENT
        for (int64_t i = 0; i < n; ++i)
            out[i] = Op::of(left[i], b);
    } else if (right_moves) {
        DRI_INDEPENDENT
        for (int64_t i = 0; i < n; ++i)
            out[i] = Op::of(a, right[i]);
    } else {
        std::fill(out, out + n, Op::of(a, b));
    }
}

template <class Op, class T>
[[gnu::always_inline]] inline void row_body(std::byte *to, const std::byte *a, const std::byte *b, int64_t n,
                                            int64_t to_step, int64_t a_step, int64_t b_step) {
    constexpr auto unit = static_cast<int64_t>(sizeof(T));
    if constexpr (Op::operands == 1) {
        using R = decltype(Op::of(T{}));
        if (to_step == static_cast<int64_t>(sizeof(R)) && a_step == unit) {
            R *const out = reinterpret_cast<R *>(to);
            const T *const in = reinterpret_cast<const T *>(a);
            DRI_INDEPENDENT
            for (int64_t i = 0; i < n; ++i)
                out[i] = Op::of(in[i]);
            return;
        }
        for (int64_t i = 0; i < n; ++i)
            *reinterpret_cast<R *>(to + i * to_step) = Op::of(element_at<T>(a + i * a_step));
    } else {
        using R = decltype(Op::of(T{}, T{}));
        if (to_step == static_cast<int64_t>(sizeof(R)) && (a_step == unit || a_step == 0) &&
            (b_step == unit || b_step == 0)) {
            R *const out = reinterpret_cast<R *>(to);
            const T *const left = reinterpret_cast<const T *>(a), *const right = reinterpret_cast<const T *>(b);
            if (a_step != 0 && b_step != 0) {
                DRI_INDEPENDENT
                for (int64_t i = 0; i < n; ++i)
                    out[i] = Op::of(left[i], right[i]);
            } else
                row_with_constant<Op>(out, left, right, n, a_step != 0, b_step != 0);
            return;
        }
        for (int64_t i = 0; i < n; ++i)
            *reinterpret_cast<R *>(to + i * to_step) =
                Op::of(element_at<T>(a + i * a_step), element_at<T>(b + i * b_step));
    }
}

#undef DRI_INDEPENDENT

template <class Op, class T>
void row_of(std::byte *to, const std::byte *a, const std::byte *b, int64_t n, int64_t to_step, int64_t a_step,
            int64_t b_step) {
    row_body<Op, T>(to, a, b, n, to_step, a_step, b_step);
}

// The same with longer vectors, which give the same bits: they fuse no operations.
#if defined(__x86_64__) && defined(__GNUC__)
template <class Op, class T>
[[gnu::target("avx2")]] void long_row_of(std::byte *to, const std::byte *a, const std::byte *b, int64_t n,
                                         int64_t to_step, int64_t a_step, int64_t b_step) {
    row_body<Op, T>(to, a, b, n, to_step, a_step, b_step);
}
bool has_long_vectors() { return __builtin_cpu_supports("avx2") != 0; }
#endif

template <class Op, class T> const RowOperation &rows_with() {
    static constexpr RowOperation rows{row_of<Op, T>, Op::operands};
#if defined(__x86_64__) && defined(__GNUC__)
    if constexpr (is_float_v<T>) {
        static constexpr RowOperation long_rows{long_row_of<Op, T>, Op::operands};
        return has_long_vectors() ? long_rows : rows;
    }
#endif
    return rows;
}

template <class Op> Operation operation_with(DRI_Type type, DRI_Op op) {
    Operation found;
    with_number(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (Op::template has<T>) {
            found.rows = &rows_with<Op, T>();
            if constexpr (Op::operands == 1)
                found.result = number_type<decltype(Op::of(T{}))>();
            else
                found.result = number_type<decltype(Op::of(T{}, T{}))>();
        }
    });
    if (!found.rows)
        fail(DRI_ERR_UNSUPPORTED, "operation {} does not have elements of this type", static_cast<int>(op));
    return found;
}

void run_rows(const RowOperation &rows, int ndims, const int64_t sizes[], std::byte *to, const std::byte *a,
              const std::byte *b, const int64_t *const steps[], int d) {
    const bool has_b = rows.operands == 2;
    if (d + 1 >= ndims) {
        const bool is_row = ndims > 0;
        rows.row(to, a, b, is_row ? sizes[d] : 1, is_row ? steps[0][d] : 0, is_row ? steps[1][d] : 0,
                 is_row && has_b ? steps[2][d] : 0);
        return;
    }
    for (int64_t i = 0; i < sizes[d]; ++i)
        run_rows(rows, ndims, sizes, to + i * steps[0][d], a + i * steps[1][d], has_b ? b + i * steps[2][d] : b,
                 steps, d + 1);
}

} // namespace

Operation operation_of(DRI_Op op, DRI_Type type) {
    switch (static_cast<int>(op)) {
    case DRI_OP_COPY: return operation_with<OpCopy>(type, op);
    case DRI_OP_ADD: return operation_with<OpAdd>(type, op);
    case DRI_OP_SUB: return operation_with<OpSub>(type, op);
    case DRI_OP_MUL: return operation_with<OpMul>(type, op);
    case DRI_OP_DIV: return operation_with<OpDiv>(type, op);
    case DRI_OP_EQ: return operation_with<OpEq>(type, op);
    case DRI_OP_NE: return operation_with<OpNe>(type, op);
    case DRI_OP_NEG: return operation_with<OpNeg>(type, op);
    case DRI_OP_MIN: return operation_with<OpMin>(type, op);
    case DRI_OP_MAX: return operation_with<OpMax>(type, op);
    case DRI_OP_LT: return operation_with<OpLt>(type, op);
    case DRI_OP_LE: return operation_with<OpLe>(type, op);
    case DRI_OP_GT: return operation_with<OpGt>(type, op);
    case DRI_OP_GE: return operation_with<OpGe>(type, op);
    case DRI_OP_ABS: return operation_with<OpAbs>(type, op);
    case DRI_OP_MOD: return operation_with<OpMod>(type, op);
    case DRI_OP_AND: return operation_with<OpAnd>(type, op);
    case DRI_OP_OR: return operation_with<OpOr>(type, op);
    case DRI_OP_XOR: return operation_with<OpXor>(type, op);
    case DRI_OP_NOT: return operation_with<OpNot>(type, op);
    case DRI_OP_SQRT: return operation_with<OpSqrt>(type, op);
    case DRI_OP_EXP: return operation_with<OpExp>(type, op);
    case DRI_OP_LOG: return operation_with<OpLog>(type, op);
    case DRI_OP_SIN: return operation_with<OpSin>(type, op);
    case DRI_OP_COS: return operation_with<OpCos>(type, op);
    case DRI_OP_TANH: return operation_with<OpTanh>(type, op);
    case DRI_OP_POW: return operation_with<OpPow>(type, op);
    case DRI_OP_ATAN2: return operation_with<OpAtan2>(type, op);
    case DRI_OP_FLOOR: return operation_with<OpFloor>(type, op);
    case DRI_OP_ROUND: return operation_with<OpRound>(type, op);
    case DRI_OP_CONJ: return operation_with<OpConj>(type, op);
    case DRI_OP_REAL: return operation_with<OpReal>(type, op);
    case DRI_OP_IMAG: return operation_with<OpImag>(type, op);
    case DRI_OP_MAG2: return operation_with<OpMag2>(type, op);
    }
    fail(DRI_ERR_ARG, "op is {}, which is none of DRI_Op", static_cast<int>(op));
}

int run_operation(void *context, int ndims, const int64_t sizes[], void *const data[],
                  const int64_t *const steps[]) {
    const auto &rows = *static_cast<const RowOperation *>(context);
    run_rows(rows, ndims, sizes, static_cast<std::byte *>(data[0]), static_cast<const std::byte *>(data[1]),
             rows.operands == 2 ? static_cast<const std::byte *>(data[2]) : nullptr, steps, 0);
    return DRI_SUCCESS;
}

} // namespace dri::array
