// Boxes: what they have in common, what is left of one without another one.
#pragma once

#include "base/error.hpp"

#include <dri/piece.h>

#include <string>
#include <vector>

namespace dri::array {

// Empty in one dimension is empty.
bool is_empty(const DRI_Box &box, int ndims);
int64_t volume_of(const DRI_Box &box, int ndims);
bool is_inside(const DRI_Box &inner, const DRI_Box &outer, int ndims);
DRI_Box common_of(const DRI_Box &a, const DRI_Box &b, int ndims);
// The least box with both. An empty one of the two is left out.
DRI_Box hull_of(const DRI_Box &a, const DRI_Box &b, int ndims);
// The box without another one inside it, as at most two boxes per dimension.
void append_difference(const DRI_Box &box, const DRI_Box &without, int ndims, std::vector<DRI_Box> &boxes);
// "[1,5) x [0,8)".
std::string text_of(const DRI_Box &box, int ndims);

} // namespace dri::array
