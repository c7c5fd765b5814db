// Rows of sums, from one template, with the compiler's vectors.
#include "sums.hpp"

#include <utility>

namespace dri_python {

namespace {

#ifdef __clang__
#define DRI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DRI_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T> T element(const void *row, int64_t i) { return static_cast<const T *>(row)[i]; }

template <class T, size_t... k>
[[gnu::always_inline]] inline void row_body(const WeightedSum &sum, void *to, const void *const x[], int64_t n,
                                            std::index_sequence<k...>) {
    T *const out = static_cast<T *>(to);
    const std::array<const void *, sizeof...(k)> rows{x[k]...};
    const std::array<T, sizeof...(k)> factors{static_cast<T>(sum.factors[k])...};
    const T scale = static_cast<T>(sum.scale), more = static_cast<T>(sum.more);
    DRI_INDEPENDENT
    for (int64_t i = 0; i < n; ++i)
        out[i] = scale * (... + (factors[k] * element<T>(rows[k], i))) + more;
}

#undef DRI_INDEPENDENT

using Row = void (*)(const WeightedSum &, void *, const void *const[], int64_t);

template <class T, size_t terms> void row_of(const WeightedSum &sum, void *to, const void *const x[], int64_t n) {
    row_body<T>(sum, to, x, n, std::make_index_sequence<terms>());
}

template <class T, size_t... k> constexpr std::array<Row, sizeof...(k)> rows_of(std::index_sequence<k...>) {
    return {row_of<T, k + 1>...};
}

// The same with longer vectors.
#if defined(__x86_64__) && defined(__GNUC__)
template <class T, size_t terms>
[[gnu::target("avx2")]] void long_row_of(const WeightedSum &sum, void *to, const void *const x[], int64_t n) {
    row_body<T>(sum, to, x, n, std::make_index_sequence<terms>());
}

template <class T, size_t... k> constexpr std::array<Row, sizeof...(k)> long_rows_of(std::index_sequence<k...>) {
    return {long_row_of<T, k + 1>...};
}
#endif

template <class T> const std::array<Row, most_terms> &rows() {
    using Terms = std::make_index_sequence<most_terms>;
    static constexpr std::array<Row, most_terms> short_rows = rows_of<T>(Terms());
#if defined(__x86_64__) && defined(__GNUC__)
    static constexpr std::array<Row, most_terms> long_rows = long_rows_of<T>(Terms());
    static const bool has_long_vectors = __builtin_cpu_supports("avx2") != 0;
    if (has_long_vectors)
        return long_rows;
#endif
    return short_rows;
}

} // namespace

void compute_sum(const WeightedSum &sum, bool is_double, void *to, const void *const x[], int64_t n) {
    (is_double ? rows<double>() : rows<float>())[sum.terms - 1](sum, to, x, n);
}

} // namespace dri_python
