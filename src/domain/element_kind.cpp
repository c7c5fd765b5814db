// The types of elements: which are equal, which become others, and their names in messages.
#include "domain/elements.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

struct NamedNumber {
    DRI_Type type;
    const char *name;
    bool is_complex;
};

// The number that a kind is, or none for a record.
std::optional<NamedNumber> number_of_kind(const ElementKind &kind) {
    const NamedNumber all[] = {
        {DRI_INT8, "int8", false},
        {DRI_INT16, "int16", false},
        {DRI_INT32, "int32", false},
        {DRI_INT64, "int64", false},
        {DRI_UINT8, "uint8", false},
        {DRI_UINT16, "uint16", false},
        {DRI_UINT32, "uint32", false},
        {DRI_UINT64, "uint64", false},
        {DRI_FLOAT, "float", false},
        {DRI_DOUBLE, "double", false},
        {DRI_COMPLEX_INT8, "complex int8", true},
        {DRI_COMPLEX_INT16, "complex int16", true},
        {DRI_COMPLEX_FLOAT, "complex float", true},
        {DRI_COMPLEX_DOUBLE, "complex double", true},
    };
    const auto *found = std::find_if(std::begin(all), std::end(all),
                                     [&](const NamedNumber &one) { return one.type.id == kind.type.get().id; });
    return found == std::end(all) ? std::nullopt : std::optional(*found);
}

} // namespace

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
    const auto a = number_of_kind(from), b = number_of_kind(to);
    return a && b && a->is_complex == b->is_complex;
}

std::string text_of(const ElementKind &kind) {
    if (const auto number = number_of_kind(kind))
        return number->name;
    return fmt::format("record of {} bytes aligned to {}", kind.size, kind.alignment);
}

} // namespace dri::domain
