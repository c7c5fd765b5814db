// The table of scalar types: bytes and names.
#include "base/scalar.hpp"

#include <cstddef>
#include <iterator>

namespace dri::inline base {

namespace {

struct Row {
    int64_t bytes;
    const char *name;
};

// One row per enumerator, in the order of Scalar.
constexpr Row rows[] = {{0, "none"},   {1, "int8"},   {2, "int16"},  {4, "int32"}, {8, "int64"}, {1, "uint8"},
                        {2, "uint16"}, {4, "uint32"}, {8, "uint64"}, {4, "float"}, {8, "double"}};

const Row &row(Scalar scalar) { return rows[static_cast<size_t>(scalar)]; }

} // namespace

int64_t scalar_bytes(Scalar scalar) { return row(scalar).bytes; }

const char *scalar_name(Scalar scalar) { return row(scalar).name; }

std::optional<Scalar> scalar_named(std::string_view name) {
    for (size_t i = 1; i < std::size(rows); ++i)
        if (name == rows[i].name)
            return static_cast<Scalar>(i);
    return std::nullopt;
}

} // namespace dri::inline base
