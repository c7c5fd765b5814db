// One template for all types.
#include "array/reduction.hpp"

#include "array/type_of.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace dri::array {

namespace {

// Integers wrap around, so they are added without a sign.
template <class T> T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
        return a + b;
}

template <class T, DRI_Op op> T reduced(T a, T b) {
    if constexpr (op == DRI_OP_SUM)
        return sum_of(a, b);
    else if constexpr (is_complex_v<T>)
        return a; // refused before
    else if constexpr (op == DRI_OP_MIN)
        return a < b || a != a ? a : b; // a NaN stays
    else
        return a > b || a != a ? a : b;
}

template <class T, DRI_Op op> T neutral() {
    if constexpr (op == DRI_OP_SUM || is_complex_v<T>)
        return T{};
    else if constexpr (std::is_floating_point_v<T>)
        return op == DRI_OP_MIN ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    else
        return op == DRI_OP_MIN ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
}

template <class T, DRI_Op op> void clear_all(void *elements, int count) {
    for (int i = 0; i < count; ++i) {
        const T value = neutral<T, op>();
        std::memcpy(static_cast<std::byte *>(elements) + i * static_cast<int64_t>(sizeof(T)), &value,
                    sizeof value);
    }
}

template <class T, DRI_Op op> void combine_all(void *into, const void *from, int count) {
    for (int i = 0; i < count; ++i) {
        T a, b;
        auto *const place = static_cast<std::byte *>(into) + i * static_cast<int64_t>(sizeof(T));
        std::memcpy(&a, place, sizeof a);
        std::memcpy(&b, static_cast<const std::byte *>(from) + i * static_cast<int64_t>(sizeof(T)), sizeof b);
        a = reduced<T, op>(a, b);
        std::memcpy(place, &a, sizeof a);
    }
}

// The type in which elements are summed.
template <class T, DRI_Op op> struct Sum {
    using Real = std::conditional_t<std::is_floating_point_v<T>, double,
                                    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
    using type =
        std::conditional_t<op != DRI_OP_SUM, T, std::conditional_t<is_complex_v<T>, std::complex<double>, Real>>;
};

// Four partial results of a row, in a fixed order, let the compiler use vectors.
template <class T, DRI_Op op> typename Sum<T, op>::type reduce_row(const std::byte *at, int64_t n, int64_t step) {
    using R = typename Sum<T, op>::type;
    constexpr int64_t lanes = 8;
    R lane[lanes];
    for (R &one : lane)
        one = neutral<R, op>();
    int64_t i = 0;
    if (step == static_cast<int64_t>(sizeof(T))) {
        const T *const elements = reinterpret_cast<const T *>(at);
        for (; i + lanes <= n; i += lanes)
            for (int64_t k = 0; k < lanes; ++k)
                lane[k] = reduced<R, op>(lane[k], static_cast<R>(elements[i + k]));
    }
    for (; i < n; ++i)
        lane[0] = reduced<R, op>(lane[0], static_cast<R>(*reinterpret_cast<const T *>(at + i * step)));
    for (int64_t k = 1; k < lanes; ++k)
        lane[0] = reduced<R, op>(lane[0], lane[k]);
    return lane[0];
}

template <class T, DRI_Op op>
void reduce_box(void *result, int ndims, const int64_t sizes[], const void *data, const int64_t steps[]) {
    const auto *const at = static_cast<const std::byte *>(data);
    if (ndims > 1) {
        for (int64_t i = 0; i < sizes[0]; ++i)
            reduce_box<T, op>(result, ndims - 1, sizes + 1, at + i * steps[0], steps + 1);
        return;
    }
    using R = typename Sum<T, op>::type;
    const R row = reduce_row<T, op>(at, ndims ? sizes[0] : 1, ndims ? steps[0] : 0);
    combine_all<R, op>(result, &row, 1);
}

// Calls f with the operation as a constant.
template <class F> void with_reduction(DRI_Op op, F &&f) {
    if (op == DRI_OP_SUM)
        return f(std::integral_constant<DRI_Op, DRI_OP_SUM>{});
    if (op == DRI_OP_MIN)
        return f(std::integral_constant<DRI_Op, DRI_OP_MIN>{});
    if (op == DRI_OP_MAX)
        return f(std::integral_constant<DRI_Op, DRI_OP_MAX>{});
    fail(DRI_ERR_ARG, "op is {}, but must be DRI_OP_SUM, DRI_OP_MIN or DRI_OP_MAX", static_cast<int>(op));
}

void require_reducible(DRI_Type type, DRI_Op op) {
    bool is_ordered = true;
    if (!with_number(type, [&](auto tag) { is_ordered = !is_complex_v<typename decltype(tag)::type>; }))
        fail(DRI_ERR_UNSUPPORTED, "elements of this type have no reduction");
    if (!is_ordered && op != DRI_OP_SUM)
        fail(DRI_ERR_UNSUPPORTED, "complex numbers have no minimum and no maximum");
}

} // namespace

Reducer reducer_of(DRI_Type type, DRI_Op op) {
    Reducer made;
    with_reduction(op, [&](auto constant) {
        require_reducible(type, op);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            made = {sizeof(T), clear_all<T, decltype(constant)::value>, combine_all<T, decltype(constant)::value>};
        });
    });
    return made;
}

Summer summer_of(DRI_Type type, DRI_Op op) {
    Summer made;
    with_reduction(op, [&](auto constant) {
        require_reducible(type, op);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            made = {number_type<typename Sum<T, decltype(constant)::value>::type>(),
                    reduce_box<T, decltype(constant)::value>};
        });
    });
    return made;
}

} // namespace dri::array
