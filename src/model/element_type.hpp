// Element types: opaque bytes of a size. The kind of number only says whether two endpoints mean the same thing.
#pragma once

#include "base/scalar.hpp"
#include "base/wire.hpp"

#include <cstdint>
#include <string>

namespace dri::model {

struct ElementType {
    // Scalar of a real number, or of both parts of a complex number; none for a record.
    Scalar scalar = Scalar::uint8;
    bool complex = false;
    int64_t size = 1;
    int64_t alignment = 1; // a power of two

    // Bytes from one element to the next.
    int64_t pitch() const { return (size + alignment - 1) / alignment * alignment; }
    friend bool operator==(const ElementType &, const ElementType &) = default;
};

// Complex numbers consist of int8, int16, float32 or float64.
bool has_complex(Scalar scalar);
ElementType make_real(Scalar scalar);
ElementType make_complex(Scalar scalar);
ElementType make_record(int64_t size, int64_t alignment);
inline bool is_record(const ElementType &type) { return type.scalar == Scalar::none; }
// Whether one type can be converted to the other: real numbers to real ones, complex numbers to complex ones,
// records only to the same record.
bool has_conversion(const ElementType &from, const ElementType &to);
std::string to_text(const ElementType &type);

void put(Writer &out, const ElementType &type);
ElementType get_element_type(Reader &in);

} // namespace dri::model
