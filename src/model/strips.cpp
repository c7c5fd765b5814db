// Strips: checks, and the distribution and buffer of each strip.
#include "model/strips.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>

namespace dri::model {

namespace {

int64_t size_of(const Strips &strips, const Distribution &first) {
    return first.gdo().sizes[static_cast<size_t>(strips.dim)];
}

// Choices that were made for the first strip apply to all strips.
Partition without_choice(const Distribution &dist) {
    Partition partition = dist.whole_partition();
    for (size_t d = 0; d < partition.size(); ++d)
        if (partition[d].chooses_parts())
            partition[d].nparts = dist.grid()[d];
    return partition;
}

int64_t buffer_bytes(const Distribution &dist, const Layout &layout, int position) {
    const ElementType &type = dist.gdo().type;
    return checked_mul(buffer_shape(layout, dist.extents(position), type).span, type.pitch());
}

} // namespace

Strips make_strips(const Gdo &whole, int64_t dim, const Distribution &first) {
    const auto ndims = static_cast<int64_t>(whole.ndims());
    if (dim < 0 || dim >= ndims)
        fail(DRI_ERR_ARG, "dim is {}, but the GDO has {} dimensions", dim, ndims);
    const Gdo &gdo = first.gdo();
    if (gdo.type != whole.type || gdo.root_sizes != whole.root_sizes)
        fail(DRI_ERR_ARG, "the strip {} is not a subset of {}", to_text(gdo), to_text(whole));
    const auto at = static_cast<size_t>(dim);
    for (size_t d = 0; d < whole.ndims(); ++d) {
        if (gdo.offset[d] != whole.offset[d])
            fail(DRI_ERR_ARG, "dimension {}: the first strip starts at {}, but the whole array at {}", d,
                 gdo.offset[d], whole.offset[d]);
        if (d != at && gdo.sizes[d] != whole.sizes[d])
            fail(DRI_ERR_ARG,
                 "dimension {}: the strip has {} elements, but the whole array has {}; strips follow one another "
                 "along "
                 "dimension {}",
                 d, gdo.sizes[d], whole.sizes[d], dim);
    }
    if (gdo.sizes[at] < 1 || gdo.sizes[at] > whole.sizes[at])
        fail(DRI_ERR_ARG, "dimension {}: a strip has {} elements, but must have 1 to the {} of the whole array",
             dim, gdo.sizes[at], whole.sizes[at]);
    return {dim, whole.sizes[at]};
}

Gdo whole_of(const Strips &strips, const Distribution &first) {
    Gdo whole = first.gdo();
    if (strips.any())
        whole.sizes[static_cast<size_t>(strips.dim)] = strips.extent;
    return whole;
}

int64_t count_strips(const Strips &strips, const Distribution &first) {
    return strips.any() ? ceil_div(strips.extent, size_of(strips, first)) : 1;
}

std::shared_ptr<const Distribution> strip_of(const std::shared_ptr<const Distribution> &first,
                                             const Strips &strips, int64_t k) {
    if (k == 0)
        return first;
    const int64_t size = size_of(strips, *first);
    const auto dim = static_cast<size_t>(strips.dim);
    Gdo gdo = first->gdo();
    gdo.offset[dim] += k * size;
    gdo.sizes[dim] = std::min(size, strips.extent - k * size);
    if (!first->is_grid()) {
        // The boxes are given for a full strip. A shorter strip has none.
        if (gdo.sizes[dim] != size)
            fail(DRI_ERR_ARG,
                 "the exact pieces are made for strips of {} elements along dimension {}, but the last strip has "
                 "{}",
                 size, dim, gdo.sizes[dim]);
        return std::make_shared<const Distribution>(std::move(gdo), first->whole_partition(), first->group(),
                                                    first->boxes().all());
    }
    try {
        return std::make_shared<const Distribution>(std::move(gdo), without_choice(*first), first->group());
    } catch (const Error &error) {
        fail(error.code(), "strip {} of {}: {}", k, to_text(strips, *first), error.what());
    }
}

int64_t strip_bytes(const std::shared_ptr<const Distribution> &first, const Strips &strips, const Layout &layout,
                    int position) {
    const int64_t bytes = buffer_bytes(*first, layout, position);
    if (!strips.any())
        return bytes;
    // All strips except the last are like the first.
    const auto last = strip_of(first, strips, count_strips(strips, *first) - 1);
    return std::max(bytes, buffer_bytes(*last, layout, position));
}

// Each strip of a store is aligned to the element type, and at least to a cache line.
int64_t strip_step(int64_t bytes, const ElementType &type) {
    return round_up(bytes, std::max<int64_t>(type.alignment, cache_line_bytes));
}

void put(Writer &out, const Strips &strips) {
    out.put(strips.dim);
    out.put(strips.extent);
}

Strips get_strips(Reader &in) {
    Strips strips;
    strips.dim = in.get<int64_t>();
    strips.extent = in.get<int64_t>();
    return strips;
}

std::string to_text(const Strips &strips, const Distribution &first) {
    return fmt::format("strips of {} along dimension {} of {}", size_of(strips, first), strips.dim, strips.extent);
}

} // namespace dri::model
