// Element types: opaque bytes of a size. What numbers they are tells whether two ends mean the same thing.
#pragma once

#include "base/scalar.hpp"
#include "base/wire.hpp"

#include <cstdint>
#include <string>

namespace dri {

struct ElementType {
    Scalar scalar = Scalar::uint8; // of a real number, or of a complex one's two parts; none for a record
    bool complex = false;
    int64_t size = 1;
    int64_t alignment = 1; // a power of two

    // Bytes from one element to the next.
    int64_t pitch() const { return (size + alignment - 1) / alignment * alignment; }
    friend bool operator==(const ElementType &, const ElementType &) = default;
};

// Complex numbers are made of int8, int16, float32 and float64.
bool has_complex(Scalar scalar);
ElementType make_real(Scalar scalar);
ElementType make_complex(Scalar scalar);
ElementType make_record(int64_t size, int64_t alignment);
inline bool is_record(const ElementType &type) { return type.scalar == Scalar::none; }
// Whether the one can become the other: real numbers real ones, complex numbers complex ones; records nothing
// else.
bool has_conversion(const ElementType &from, const ElementType &to);
std::string to_text(const ElementType &type);

void put(Writer &out, const ElementType &type);
ElementType get_element_type(Reader &in);

} // namespace dri
