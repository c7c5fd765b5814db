// The calls of range.h.
#include "domain/ranges.hpp"
#include "outer/calls.hpp"

extern "C" {

int DRI_range(int64_t lo, int64_t hi, int64_t stride, int64_t align, DRI_Range *range) {
    return dri::outer::run("DRI_range", [&] {
        dri::outer::require_pointer(range, "range");
        if (stride == 0)
            dri::fail(DRI_ERR_ARG, "stride is 0");
        const auto made = dri::domain::math::range_between(lo, hi, stride, align);
        if (!made)
            dri::fail(DRI_ERR_OVERFLOW, "the indices of [{}, {}) by {} exceed 64 bits", lo, hi, stride);
        *range = *made;
    });
}

int DRI_range_order(DRI_Range range, int64_t index, int64_t *order) {
    return dri::outer::run("DRI_range_order", [&] {
        dri::outer::require_pointer(order, "order");
        dri::domain::require_range(range, "range");
        *order = dri::domain::math::order_in(range, index);
    });
}

int DRI_range_common(DRI_Range a, DRI_Range b, DRI_Range *common) {
    return dri::outer::run("DRI_range_common", [&] {
        dri::outer::require_pointer(common, "common");
        dri::domain::require_range(a, "a");
        dri::domain::require_range(b, "b");
        *common = dri::domain::math::common_of(a, b);
    });
}

int DRI_densify(DRI_Range sub, DRI_Range whole, DRI_Range *dense) {
    return dri::outer::run("DRI_densify", [&] {
        dri::outer::require_pointer(dense, "dense");
        dri::domain::require_range(sub, "sub");
        dri::domain::require_range(whole, "whole");
        const auto found = dri::domain::math::densified(sub, whole);
        if (!found)
            dri::fail(DRI_ERR_ARG, "the range {} is not inside {}", dri::domain::text_of(sub),
                      dri::domain::text_of(whole));
        *dense = *found;
    });
}

int DRI_undensify(DRI_Range dense, DRI_Range whole, DRI_Range *sub) {
    return dri::outer::run("DRI_undensify", [&] {
        dri::outer::require_pointer(sub, "sub");
        dri::domain::require_range(dense, "dense");
        dri::domain::require_range(whole, "whole");
        const auto found = dri::domain::math::undensified(dense, whole);
        if (!found)
            dri::fail(DRI_ERR_ARG, "the places {} are not those of {}, which has {} members",
                      dri::domain::text_of(dense), dri::domain::text_of(whole), whole.size);
        *sub = *found;
    });
}
}
