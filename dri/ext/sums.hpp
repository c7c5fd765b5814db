// Sums of products with numbers, in one pass over their elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dri_python {

constexpr size_t most_terms = 8;

// scale * (factors[0] * x[0] + factors[1] * x[1] + ...) + more, in this order.
struct WeightedSum {
    size_t terms = 0; // 0: it is none
    std::array<double, most_terms> factors{};
    double scale = 1, more = -0.0;
};

// The sum of n elements from each of x, which may lie where the result does, element by element. No operation is
// fused with another one: numpy has the same bits.
void compute_sum(const WeightedSum &sum, bool is_double, void *to, const void *const x[], int64_t n);

} // namespace dri_python
