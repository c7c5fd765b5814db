// Checks and texts of ranges.
#include "domain/ranges.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

std::string fields_of(const DRI_Range &r) {
    return fmt::format("{{first {}, stride {}, size {}}}", r.first, r.stride, r.size);
}

} // namespace

void require_range(const DRI_Range &range, const char *what) {
    if (!math::is_range(range))
        fail(DRI_ERR_ARG,
             "{} is {}, which is no range: its stride is not 0, its size not negative, and all of it "
             "fits into 64 bits",
             what, fields_of(range));
}

Ranges checked_ranges(const DRI_Range ranges[], int ndims, const char *what) {
    if (!ranges)
        fail(DRI_ERR_ARG, "{} is NULL", what);
    const Ranges all(ranges, ranges + ndims);
    for (size_t d = 0; d < all.size(); ++d)
        if (!math::is_range(all[d]))
            require_range(all[d], fmt::format("dimension {}: {}", d, what).c_str());
    return all;
}

std::string text_of(const DRI_Range &range) {
    if (range.size == 0)
        return "1..0";
    const std::string bounds = fmt::format("{}..{}", math::low_of(range), math::high_of(range));
    return range.stride == 1 ? bounds : fmt::format("{} by {}", bounds, range.stride);
}

std::string text_of(const Ranges &ranges) {
    std::string text = "{";
    for (size_t d = 0; d < ranges.size(); ++d)
        text += fmt::format("{}{}", d ? ", " : "", text_of(ranges[d]));
    return text + "}";
}

std::string text_of_index(std::span<const int64_t> index) {
    if (index.size() == 1)
        return fmt::format("{}", index[0]);
    return fmt::format("({})", fmt::join(index, ", "));
}

int64_t volume_of(const Ranges &ranges) {
    if (std::any_of(ranges.begin(), ranges.end(), [](const DRI_Range &r) { return r.size == 0; }))
        return 0;
    int64_t volume = 1;
    for (const DRI_Range &r : ranges)
        volume = checked_mul(volume, r.size);
    return volume;
}

bool are_same(const Ranges &a, const Ranges &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), math::is_same_range);
}

Dims firsts_of(const Ranges &ranges) {
    Dims first;
    for (const DRI_Range &r : ranges)
        first.push_back(r.first);
    return first;
}

int64_t order_of(const Dims &dense, const Dims &sizes) {
    int64_t order = 0;
    for (size_t d = 0; d < dense.size(); ++d)
        order = order * sizes[d] + dense[d];
    return order;
}

Ranges densify(const Ranges &sub, const Ranges &whole) {
    Ranges dense;
    for (size_t d = 0; d < sub.size(); ++d) {
        const auto found = math::densified(sub[d], whole[d]);
        if (!found)
            fail(DRI_ERR_ARG, "dimension {}: the range {} is not inside {}", d, text_of(sub[d]),
                 text_of(whole[d]));
        dense.push_back(*found);
    }
    return dense;
}

Ranges undensify(const Ranges &dense, const Ranges &whole) {
    Ranges sub;
    for (size_t d = 0; d < dense.size(); ++d)
        sub.push_back(math::undensified(dense[d], whole[d]).value());
    return sub;
}

} // namespace dri::domain
