// The number types that the library knows. A complex number consists of two numbers of one type.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dri::inline base {

enum class Scalar : int32_t {
    none = 0,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
};

int64_t scalar_bytes(Scalar scalar);
const char *scalar_name(Scalar scalar);
// The type with this name, or nothing if there is none.
std::optional<Scalar> scalar_named(std::string_view name);

} // namespace dri::inline base
