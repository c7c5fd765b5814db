// Makes and prints conversions.
#include "plan/conversion.hpp"

#include "base/error.hpp"

namespace dri::plan {

Conversion make_conversion(Scalar from, Scalar to, double scale) {
    if (from == to && scale == 1)
        return {};
    return {from, to, scale};
}

bool multiplies_in_float(Scalar from, Scalar to) {
    const auto fits = [](Scalar scalar) { return scalar == Scalar::float32 || scalar_bytes(scalar) <= 2; };
    return fits(from) && fits(to);
}

std::string to_text(const Conversion &conversion) {
    if (!conversion)
        return {};
    std::string text = fmt::format(" {}->{}", scalar_name(conversion.from), scalar_name(conversion.to));
    if (conversion.scale != 1)
        text += fmt::format("*{}", conversion.scale);
    return text;
}

} // namespace dri::plan
