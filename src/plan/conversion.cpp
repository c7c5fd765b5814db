#include "plan/conversion.hpp"

#include "base/error.hpp"

namespace dri {

namespace {

struct Row {
    int64_t bytes;
    const char *name;
};

// In the order of Scalar.
constexpr Row rows[] = {{0, "none"},   {1, "int8"},   {2, "int16"},  {4, "int32"}, {8, "int64"}, {1, "uint8"},
                        {2, "uint16"}, {4, "uint32"}, {8, "uint64"}, {4, "float"}, {8, "double"}};

const Row &row(Scalar scalar) { return rows[static_cast<size_t>(scalar)]; }

} // namespace

int64_t scalar_bytes(Scalar scalar) { return row(scalar).bytes; }

const char *scalar_name(Scalar scalar) { return row(scalar).name; }

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
