// The types of elements: which are equal, which become others, and their names in messages.
#include "domain/elements.hpp"
#include "outer/calls.hpp"
#include "outer/type_names.hpp"

namespace dri::domain {

ElementKind kind_of(DRI_Type type) {
    ElementKind kind;
    const int64_t one = 1;
    outer::OwnedGdo gdo;
    outer::require(DRI_gdo_create(1, type, &one, gdo.out()));
    outer::require(DRI_gdo_get_type(gdo.get(), kind.type.out()));
    outer::require(DRI_type_get_size(type, &kind.size, &kind.alignment));
    outer::require(DRI_type_get_pitch(type, &kind.pitch));
    kind.is_predefined = kind.type.get().id == type.id;
    return kind;
}

bool are_equal(const ElementKind &a, const ElementKind &b) {
    if (a.is_predefined || b.is_predefined)
        return a.type.get().id == b.type.get().id;
    return a.size == b.size && a.alignment == b.alignment;
}

bool is_converted(const ElementKind &from, const ElementKind &to) {
    if (are_equal(from, to))
        return true;
    const DRI_Type a = from.type.get(), b = to.type.get();
    return outer::name_of_number(a) && outer::name_of_number(b) && outer::is_complex(a) == outer::is_complex(b);
}

std::string text_of(const ElementKind &kind) {
    if (const char *const number = outer::name_of_number(kind.type.get()))
        return number;
    return fmt::format("record of {} bytes aligned to {}", kind.size, kind.alignment);
}

} // namespace dri::domain
