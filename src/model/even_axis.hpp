// Parts whose indices are evenly spaced along a dimension, so that one stride describes them.
#pragma once

#include "model/part_axis.hpp"

#include <optional>

namespace dri::model {

// The owned indices first, first + stride, ... They follow each other without gaps from the local index `local`
// on.
struct EvenAxis {
    int64_t first = 0, stride = 1, size = 0;
    int64_t local = 0;
    int64_t left = 0, right = 0; // local indices before and behind them: overlap and pads
    friend bool operator==(const EvenAxis &, const EvenAxis &) = default;
};

// Nothing if the indices are not evenly spaced, if one is there twice in a row, or if overlap lies between them.
// Cost: the number of the axis's lists.
std::optional<EvenAxis> even_axis(const PartAxis &axis);

} // namespace dri::model
