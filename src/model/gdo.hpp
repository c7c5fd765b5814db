// Global data objects (GDO) as values.
#pragma once

#include "base/fixed_vector.hpp"
#include "model/element_type.hpp"

#include <span>

namespace dri::model {

struct Gdo {
    ElementType type;
    Dims sizes;
    // The root is the object that this one is a box of; `offset` is where the box starts. An object that is not a
    // subset is the whole box of itself. Therefore two objects can have common elements if their types and root
    // sizes are equal.
    Dims root_sizes;
    Dims offset;

    size_t ndims() const { return sizes.size(); }
    friend bool operator==(const Gdo &, const Gdo &) = default;
};

Gdo make_gdo(const ElementType &type, std::span<const int64_t> sizes);
Gdo make_subset(const Gdo &gdo, std::span<const int64_t> offsets, std::span<const int64_t> sizes);

// sizes: those of an object, or the extents of what a part of a distribution holds. The result always fits.
int64_t count_elements(const Dims &sizes);
int64_t count_bytes(const Gdo &gdo);

std::string to_text(const Dims &values); // "[97,64]"
std::string to_text(const Gdo &gdo);     // "complex float [97,64]", with "at [..] of [..]" for a subset

void put(Writer &out, const Gdo &gdo);
Gdo get_gdo(Reader &in);

} // namespace dri::model
