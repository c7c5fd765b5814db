// Element types: opaque bytes of a size. The kind only tells whether two ends mean the same thing.
#pragma once

#include "base/wire.hpp"

#include <cstdint>
#include <string>

namespace dri {

enum class ElementKind : int32_t {
    record = 0,
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
    complex_int8,
    complex_int16,
    complex_float,
    complex_double,
};

struct ElementType {
    ElementKind kind = ElementKind::uint8;
    int64_t size = 1;
    int64_t alignment = 1; // a power of two

    // Bytes from one element to the next.
    int64_t pitch() const { return (size + alignment - 1) / alignment * alignment; }
    friend bool operator==(const ElementType &, const ElementType &) = default;
};

ElementType builtin_type(ElementKind kind);
ElementType make_record(int64_t size, int64_t alignment);
bool is_complex(const ElementType &type);
// The kind of a complex number's two parts; a real number's own.
ElementKind component_kind(const ElementType &type);
// Whether the one can become the other: real numbers real ones, complex numbers complex ones; records nothing
// else.
bool has_conversion(const ElementType &from, const ElementType &to);
std::string to_text(const ElementType &type);

void put(Writer &out, const ElementType &type);
ElementType get_element_type(Reader &in);

} // namespace dri
