// Element types: makes and checks them, and gives their text and wire form.
#include "model/element_type.hpp"

#include "base/checked.hpp"

namespace dri::model {

bool has_complex(Scalar scalar) {
    return scalar == Scalar::int8 || scalar == Scalar::int16 || scalar == Scalar::float32 ||
           scalar == Scalar::float64;
}

ElementType make_real(Scalar scalar) {
    if (scalar == Scalar::none)
        fail(DRI_ERR_INTERNAL, "a real number needs a scalar type, but has none");
    return {scalar, false, scalar_bytes(scalar), scalar_bytes(scalar)};
}

ElementType make_complex(Scalar scalar) {
    if (!has_complex(scalar))
        fail(DRI_ERR_INTERNAL, "there are no complex numbers of {}", scalar_name(scalar));
    return {scalar, true, 2 * scalar_bytes(scalar), scalar_bytes(scalar)};
}

ElementType make_record(int64_t size, int64_t alignment) {
    if (size < 1)
        fail(DRI_ERR_ARG, "size of a record is {}, but must be at least 1", size);
    if (alignment < 1 || (alignment & (alignment - 1)) != 0)
        fail(DRI_ERR_ARG, "alignment {} is not a power of two", alignment);
    // Fails if pitch() would overflow.
    checked_add(size, alignment);
    return {Scalar::none, false, size, alignment};
}

// A record is opaque bytes, so only the same bytes can arrive. Real and complex elements have different numbers of
// scalars and are not converted into each other.
bool has_conversion(const ElementType &from, const ElementType &to) {
    if (is_record(from) || is_record(to))
        return from == to;
    return from.complex == to.complex;
}

std::string to_text(const ElementType &type) {
    if (is_record(type))
        return fmt::format("record of {} bytes aligned to {}", type.size, type.alignment);
    return fmt::format("{}{}", type.complex ? "complex " : "", scalar_name(type.scalar));
}

// One form for all types, although only records need size and alignment.
void put(Writer &out, const ElementType &type) {
    out.put(type.scalar);
    out.put(type.complex);
    out.put(type.size);
    out.put(type.alignment);
}

ElementType get_element_type(Reader &in) {
    const auto scalar = in.get<Scalar>();
    const bool complex = in.get<uint8_t>() != 0;
    const auto size = in.get<int64_t>(), alignment = in.get<int64_t>();
    if (scalar < Scalar::none || scalar > Scalar::float64 || (complex && !has_complex(scalar)))
        fail(DRI_ERR_INTERNAL, "there is no element type of scalar {}", static_cast<int>(scalar));
    const ElementType type = scalar == Scalar::none ? make_record(size, alignment)
                             : complex              ? make_complex(scalar)
                                                    : make_real(scalar);
    if (type.size != size || type.alignment != alignment)
        fail(DRI_ERR_INTERNAL, "elements of type {} do not have {} bytes aligned to {}", to_text(type), size,
             alignment);
    return type;
}

} // namespace dri::model
