// Arithmetic of boxes.
#include "array/boxes.hpp"

#include <algorithm>

namespace dri::array {

bool is_empty(const DRI_Box &box, int ndims) {
    return std::any_of(box.size, box.size + ndims, [](int64_t n) { return n == 0; });
}

int64_t volume_of(const DRI_Box &box, int ndims) {
    int64_t volume = 1;
    for (int d = 0; d < ndims; ++d)
        volume *= box.size[d];
    return volume;
}

bool is_inside(const DRI_Box &inner, const DRI_Box &outer, int ndims) {
    if (is_empty(inner, ndims))
        return true;
    for (int d = 0; d < ndims; ++d)
        if (inner.offset[d] < outer.offset[d] || inner.offset[d] + inner.size[d] > outer.offset[d] + outer.size[d])
            return false;
    return true;
}

DRI_Box common_of(const DRI_Box &a, const DRI_Box &b, int ndims) {
    DRI_Box common{};
    for (int d = 0; d < ndims; ++d) {
        const int64_t end = std::min(a.offset[d] + a.size[d], b.offset[d] + b.size[d]);
        common.offset[d] = std::max(a.offset[d], b.offset[d]);
        common.size[d] = std::max<int64_t>(end - common.offset[d], 0);
    }
    return common;
}

DRI_Box hull_of(const DRI_Box &a, const DRI_Box &b, int ndims) {
    if (is_empty(b, ndims))
        return a;
    if (is_empty(a, ndims))
        return b;
    DRI_Box hull{};
    for (int d = 0; d < ndims; ++d) {
        const int64_t end = std::max(a.offset[d] + a.size[d], b.offset[d] + b.size[d]);
        hull.offset[d] = std::min(a.offset[d], b.offset[d]);
        hull.size[d] = end - hull.offset[d];
    }
    return hull;
}

void append_difference(const DRI_Box &box, const DRI_Box &without, int ndims, std::vector<DRI_Box> &boxes) {
    if (is_empty(box, ndims))
        return;
    DRI_Box rest = box;
    const DRI_Box hole = common_of(box, without, ndims);
    if (is_empty(hole, ndims)) {
        boxes.push_back(box);
        return;
    }
    for (int d = 0; d < ndims; ++d) {
        const int64_t begin = rest.offset[d], end = begin + rest.size[d];
        const int64_t hole_end = hole.offset[d] + hole.size[d];
        DRI_Box side = rest;
        if (hole.offset[d] > begin) {
            side.size[d] = hole.offset[d] - begin;
            boxes.push_back(side);
        }
        if (end > hole_end) {
            side.offset[d] = hole_end;
            side.size[d] = end - hole_end;
            boxes.push_back(side);
        }
        rest.offset[d] = hole.offset[d];
        rest.size[d] = hole.size[d];
    }
}

std::string text_of(const DRI_Box &box, int ndims) {
    std::string text;
    for (int d = 0; d < ndims; ++d)
        text += fmt::format("{}[{},{})", d ? " x " : "", box.offset[d], box.offset[d] + box.size[d]);
    return ndims ? text : "one element";
}

} // namespace dri::array
