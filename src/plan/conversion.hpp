// What a copy may do with its scalars beside moving them: change their type and multiply them. Plain data.
#pragma once

#include "base/scalar.hpp"

#include <string>

namespace dri::plan {

// Converts each scalar to type `to` and multiplies it by `scale`. With `from` equal to Scalar::none, bytes are
// moved as they are.
// - Scale 1, integer to integer: exact, or the nearest bound of the range.
// - Other scales: the product is computed in float if both types have at most 16 bits or are float, otherwise in
//   double.
// - To an integer: rounded to nearest, ties to even; NaN becomes 0; values outside become the nearest bound of the
//   range.
struct Conversion {
    Scalar from = Scalar::none;
    Scalar to = Scalar::none;
    double scale = 1;

    explicit operator bool() const { return from != Scalar::none; }
    friend bool operator==(const Conversion &, const Conversion &) = default;
};

// The conversion between two types with a scale. It is empty if nothing changes.
Conversion make_conversion(Scalar from, Scalar to, double scale);

// Whether a product with a scale is computed in float; otherwise in double.
bool multiplies_in_float(Scalar from, Scalar to);

std::string to_text(const Conversion &conversion); // " int16->float" or " int16->float*0.5"; "" for none

} // namespace dri::plan
