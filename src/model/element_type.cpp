#include "model/element_type.hpp"

#include "base/checked.hpp"

#include <array>

namespace dri {

namespace {

struct Row {
    ElementKind kind;
    int64_t size, alignment;
    const char *text;
};

constexpr std::array rows{
    Row{ElementKind::int8, 1, 1, "int8"},
    Row{ElementKind::int16, 2, 2, "int16"},
    Row{ElementKind::int32, 4, 4, "int32"},
    Row{ElementKind::int64, 8, 8, "int64"},
    Row{ElementKind::uint8, 1, 1, "uint8"},
    Row{ElementKind::uint16, 2, 2, "uint16"},
    Row{ElementKind::uint32, 4, 4, "uint32"},
    Row{ElementKind::uint64, 8, 8, "uint64"},
    Row{ElementKind::float32, 4, 4, "float"},
    Row{ElementKind::float64, 8, 8, "double"},
    Row{ElementKind::complex_int8, 2, 1, "complex int8"},
    Row{ElementKind::complex_int16, 4, 2, "complex int16"},
    Row{ElementKind::complex_float, 8, 4, "complex float"},
    Row{ElementKind::complex_double, 16, 8, "complex double"},
};

const Row &row(ElementKind kind) {
    for (const Row &r : rows)
        if (r.kind == kind)
            return r;
    fail(DRI_ERR_INTERNAL, "element kind {} has no row", static_cast<int32_t>(kind));
}

} // namespace

ElementType builtin_type(ElementKind kind) { return {kind, row(kind).size, row(kind).alignment}; }

ElementType make_record(int64_t size, int64_t alignment) {
    if (size < 1)
        fail(DRI_ERR_ARG, "size of a record is {}, but must be at least 1", size);
    if (alignment < 1 || (alignment & (alignment - 1)) != 0)
        fail(DRI_ERR_ARG, "alignment {} is no power of two", alignment);
    checked_add(size, alignment);
    return {ElementKind::record, size, alignment};
}

bool is_complex(const ElementType &type) { return component_kind(type) != type.kind; }

ElementKind component_kind(const ElementType &type) {
    switch (type.kind) {
    case ElementKind::complex_int8: return ElementKind::int8;
    case ElementKind::complex_int16: return ElementKind::int16;
    case ElementKind::complex_float: return ElementKind::float32;
    case ElementKind::complex_double: return ElementKind::float64;
    default: return type.kind;
    }
}

bool has_conversion(const ElementType &from, const ElementType &to) {
    if (from.kind == ElementKind::record || to.kind == ElementKind::record)
        return from == to;
    return is_complex(from) == is_complex(to);
}

std::string to_text(const ElementType &type) {
    if (type.kind == ElementKind::record)
        return fmt::format("record of {} bytes aligned to {}", type.size, type.alignment);
    return row(type.kind).text;
}

void put(Writer &out, const ElementType &type) {
    out.put(type.kind);
    out.put(type.size);
    out.put(type.alignment);
}

ElementType get_element_type(Reader &in) {
    ElementType type;
    type.kind = in.get<ElementKind>();
    type.size = in.get<int64_t>();
    type.alignment = in.get<int64_t>();
    return type;
}

} // namespace dri
