// A change of number type on the way: what a copy may do with its scalars beside moving them. Plain data.
#pragma once

#include "base/scalar.hpp"

#include <string>

namespace dri {

// Each scalar becomes value * scale as another type; `none` moves bytes as they are. Without a scale an integer
// becomes another one exactly, or the nearest end of its range; a scale multiplies in float where both types
// have at most 16 bits or are float, else in double. To an integer: nearest, ties to even, NaN to 0, and the
// nearest end of the range.
struct Conversion {
    Scalar from = Scalar::none;
    Scalar to = Scalar::none;
    double scale = 1;

    explicit operator bool() const { return from != Scalar::none; }
    friend bool operator==(const Conversion &, const Conversion &) = default;
};

// The conversion that does this; none where it would change nothing.
Conversion make_conversion(Scalar from, Scalar to, double scale);

std::string to_text(const Conversion &conversion); // " int16->float" or " int16->float*0.5"; "" for none

} // namespace dri
