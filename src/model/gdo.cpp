// Global data objects: makes and checks them, and gives their text and wire form.
#include "model/gdo.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::model {

namespace {

// The product of the sizes. A size of 0 counts as 1, so that it does not hide an overflow of the others.
int64_t checked_count(std::span<const int64_t> sizes) {
    int64_t n = 1;
    for (int64_t s : sizes)
        n = checked_mul(n, std::max<int64_t>(s, 1));
    return n;
}

} // namespace

// Overflow is checked here once, so that later products of sizes need no check.
Gdo make_gdo(const ElementType &type, std::span<const int64_t> sizes) {
    for (size_t d = 0; d < sizes.size(); ++d)
        if (sizes[d] < 0)
            fail(DRI_ERR_ARG, "size of dimension {} is {}, but must not be negative", d, sizes[d]);
    Gdo gdo;
    gdo.type = type;
    gdo.sizes = Dims(sizes.begin(), sizes.end());
    gdo.root_sizes = gdo.sizes;
    gdo.offset = Dims(sizes.size(), 0);
    int64_t elements, bytes;
    try {
        elements = checked_count(sizes);
        bytes = checked_mul(elements, type.pitch());
    } catch (const Error &) {
        fail(DRI_ERR_OVERFLOW, "the bytes of {} elements of {} bytes do not fit into 64 bits", to_text(gdo.sizes),
             type.pitch());
    }
    static_cast<void>(bytes);
    return gdo;
}

Gdo make_subset(const Gdo &gdo, std::span<const int64_t> offsets, std::span<const int64_t> sizes) {
    Gdo sub = gdo;
    for (size_t d = 0; d < gdo.ndims(); ++d) {
        const int64_t offset = offsets[d], size = sizes[d];
        if (size < 0 || offset < 0 || offset > gdo.sizes[d] || size > gdo.sizes[d] - offset)
            fail(DRI_ERR_ARG,
                 "dimension {}: {} elements starting at {} do not lie inside the {} elements of the parent", d,
                 size, offset, gdo.sizes[d]);
        sub.sizes[d] = size;
        sub.offset[d] = gdo.offset[d] + offset;
    }
    return sub;
}

int64_t count_elements(const Dims &sizes) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) // the product of the others may overflow
        return 0;
    int64_t n = 1;
    for (int64_t s : sizes)
        n *= s;
    return n;
}

int64_t count_bytes(const Gdo &gdo) { return count_elements(gdo.sizes) * gdo.type.pitch(); }

std::string to_text(const Dims &values) {
    return fmt::format("[{}]", fmt::join(values.begin(), values.end(), ","));
}

std::string to_text(const Gdo &gdo) {
    std::string text = to_text(gdo.type) + " " + to_text(gdo.sizes);
    if (gdo.sizes != gdo.root_sizes)
        text += " at " + to_text(gdo.offset) + " of " + to_text(gdo.root_sizes);
    return text;
}

void put(Writer &out, const Gdo &gdo) {
    put(out, gdo.type);
    out.put_all(gdo.sizes);
    out.put_all(gdo.root_sizes);
    out.put_all(gdo.offset);
}

Gdo get_gdo(Reader &in) {
    const ElementType type = get_element_type(in);
    const auto sizes = in.get_all<Dims>(), root_sizes = in.get_all<Dims>(), offset = in.get_all<Dims>();
    const size_t n = sizes.size();
    if (root_sizes.size() != n || offset.size() != n)
        fail(DRI_ERR_INTERNAL, "a box of {} dimensions is no part of an array of {}", n, root_sizes.size());
    return make_subset(make_gdo(type, std::span(root_sizes.begin(), n)), std::span(offset.begin(), n),
                       std::span(sizes.begin(), n));
}

} // namespace dri::model
