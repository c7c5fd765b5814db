// Ranges and boxes of ranges: checks and texts.
#pragma once

#include "base/error.hpp"
#include "base/fixed_vector.hpp"

#include <dri/cpp/range_math.hpp>

#include <span>
#include <string>

namespace dri::domain {

namespace math = dri::v1::detail;

// One range per dimension: of a domain its ranges, otherwise a box of indices or of dense indices.
using Ranges = FixedVector<DRI_Range, max_dims>;

// Fails with DRI_ERR_ARG for what is no range. what: names it in the message.
void require_range(const DRI_Range &range, const char *what);
// The user's ranges, one per dimension; each is a range. Fails with DRI_ERR_ARG.
Ranges checked_ranges(const DRI_Range ranges[], int ndims, const char *what);

// Bounds included, as in Chapel: "2..11 by -3".
std::string text_of(const DRI_Range &range);
std::string text_of(const Ranges &ranges);
// "3" or "(3, 4)".
std::string text_of_index(std::span<const int64_t> index);

// How many members; 0 if a range is empty. Fails with DRI_ERR_OVERFLOW.
int64_t volume_of(const Ranges &ranges);
bool are_same(const Ranges &a, const Ranges &b);
// The first member along each dimension.
Dims firsts_of(const Ranges &ranges);
// The place of a dense index in row-major order.
int64_t order_of(const Dims &dense, const Dims &sizes);

// The dense indices of a box of members. Fails with DRI_ERR_ARG if one is no member.
Ranges densify(const Ranges &sub, const Ranges &whole);
// The members of a box of dense indices, all of which are there.
Ranges undensify(const Ranges &dense, const Ranges &whole);

} // namespace dri::domain
