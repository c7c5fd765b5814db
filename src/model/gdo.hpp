// Global data objects, as values.
#pragma once

#include "base/fixed_vector.hpp"
#include "model/element_type.hpp"

#include <span>

namespace dri {

struct Gdo {
    ElementType type;
    Dims sizes;
    // The object that this one is a box of, and where the box starts. An object that is no subset is the
    // whole box of itself, so two objects have common elements wherever types and root sizes are equal.
    Dims root_sizes;
    Dims offset;

    size_t ndims() const { return sizes.size(); }
    friend bool operator==(const Gdo &, const Gdo &) = default;
};

Gdo make_gdo(const ElementType &type, std::span<const int64_t> sizes);
Gdo make_subset(const Gdo &gdo, std::span<const int64_t> offsets, std::span<const int64_t> sizes);

int64_t count_elements(const Dims &sizes); // of an object, or of what a part of a distribution has: it fits
int64_t count_bytes(const Gdo &gdo);

std::string to_text(const Dims &values); // "[97,64]"
std::string to_text(const Gdo &gdo);     // "complex float [97,64]", with "at [..] of [..]" for a subset

void put(Writer &out, const Gdo &gdo);
Gdo get_gdo(Reader &in);

} // namespace dri
