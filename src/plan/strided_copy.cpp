#include "plan/strided_copy.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <tuple>

namespace dri {

namespace {

// Whether a * b is c; a product that wraps is no number's.
bool is_product(int64_t a, int64_t b, int64_t c) {
    int64_t r;
    return !__builtin_mul_overflow(a, b, &r) && r == c;
}

bool copies_nothing(const StridedCopy &copy) {
    return copy.run_bytes == 0 ||
           std::any_of(copy.loops.begin(), copy.loops.end(), [](const Loop &l) { return l.count == 0; });
}

// Walks a loop with a negative destination stride from its other end, so that destination strides are positive.
void walk_upwards(StridedCopy &copy) {
    for (Loop &l : copy.loops) {
        if (l.dst_stride >= 0)
            continue;
        copy.src_offset = checked_add(copy.src_offset, checked_mul(l.count - 1, l.src_stride));
        copy.dst_offset = checked_add(copy.dst_offset, checked_mul(l.count - 1, l.dst_stride));
        l.src_stride = checked_mul(l.src_stride, -1);
        l.dst_stride = checked_mul(l.dst_stride, -1);
    }
}

// The order must be total, or equal copies could come out with their loops in different places.
bool goes_outside(const Loop &a, const Loop &b) {
    return std::tie(a.dst_stride, a.src_stride, a.count) > std::tie(b.dst_stride, b.src_stride, b.count);
}

bool merge_into_run(StridedCopy &copy) {
    for (Loop &l : copy.loops) {
        if (l.src_stride != copy.run_bytes || l.dst_stride != copy.run_bytes)
            continue;
        copy.run_bytes = checked_mul(copy.run_bytes, l.count);
        copy.loops.erase(&l);
        return true;
    }
    return false;
}

bool merge_two_loops(StridedCopy &copy) {
    for (Loop &outer : copy.loops) {
        for (Loop &inner : copy.loops) {
            if (&inner == &outer)
                continue;
            if (!is_product(inner.count, inner.src_stride, outer.src_stride))
                continue;
            if (!is_product(inner.count, inner.dst_stride, outer.dst_stride))
                continue;
            inner.count = checked_mul(inner.count, outer.count);
            copy.loops.erase(&outer);
            return true;
        }
    }
    return false;
}

} // namespace

int64_t copy_bytes(const StridedCopy &copy) {
    if (copies_nothing(copy))
        return 0;
    int64_t bytes = copy.run_bytes;
    for (const Loop &l : copy.loops)
        bytes = checked_mul(bytes, l.count);
    return bytes;
}

StridedCopy canonical(StridedCopy copy) {
    if (copies_nothing(copy))
        return {};
    Loops kept;
    for (const Loop &l : copy.loops)
        if (l.count != 1)
            kept.push_back(l);
    copy.loops = kept;
    walk_upwards(copy);
    // Sorting first makes the result independent of the order in which the loops came.
    std::sort(copy.loops.begin(), copy.loops.end(), goes_outside);
    while (merge_into_run(copy) || merge_two_loops(copy))
        std::sort(copy.loops.begin(), copy.loops.end(), goes_outside);
    return copy;
}

std::string to_text(const StridedCopy &copy) {
    std::string text = fmt::format("{}B @{}->@{}", copy.run_bytes, copy.src_offset, copy.dst_offset);
    for (const Loop &l : copy.loops)
        text += fmt::format(" x[{}: {}->{}]", l.count, l.src_stride, l.dst_stride);
    return text;
}

} // namespace dri
