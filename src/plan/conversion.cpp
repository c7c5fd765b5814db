#include "plan/conversion.hpp"

#include "base/error.hpp"

namespace dri {

namespace {

struct Row {
    int64_t bytes;
    bool fits_float; // every value is a float's
    const char *name;
};

// In the order of Scalar.
constexpr Row rows[] = {
    {0, false, "none"},   {1, true, "int8"},  {2, true, "int16"},   {4, false, "int32"},
    {8, false, "int64"},  {1, true, "uint8"}, {2, true, "uint16"},  {4, false, "uint32"},
    {8, false, "uint64"}, {4, true, "float"}, {8, false, "double"},
};

const Row &row(Scalar scalar) { return rows[static_cast<size_t>(scalar)]; }

} // namespace

int64_t scalar_bytes(Scalar scalar) { return row(scalar).bytes; }

const char *scalar_name(Scalar scalar) { return row(scalar).name; }

bool multiplies_in_float(Scalar from, Scalar to) { return row(from).fits_float && row(to).fits_float; }

Conversion make_conversion(Scalar from, Scalar to, double scale) {
    if (from == to && scale == 1)
        return {};
    return {from, to, scale};
}

std::string to_text(const Conversion &conversion) {
    if (!conversion)
        return {};
    std::string text = fmt::format(" {}->{}", scalar_name(conversion.from), scalar_name(conversion.to));
    if (conversion.scale != 1)
        text += fmt::format("*{}", conversion.scale);
    return text;
}

} // namespace dri
