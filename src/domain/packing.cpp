// Runs copies, and finds where the elements of a slice lie.
#include "domain/packing.hpp"

#include <cstring>

namespace dri::domain {

namespace {

// Appends offsets to a list whose last stretch they may continue.
void append_offsets(OffsetList &list, OffsetRun more) {
    if (more.size == 1 && !list.empty()) {
        OffsetRun &last = list.back();
        if (last.size == 1 && last.first != more.first) {
            last.step = more.first - last.first;
            last.size = 2;
            return;
        }
        if (last.size > 1 && more.first == last.first + last.size * last.step) {
            ++last.size;
            return;
        }
    } else if (!list.empty()) {
        OffsetRun &last = list.back();
        const bool same_step = last.size == 1 ? more.first - last.first == more.step : last.step == more.step;
        if (same_step && more.first == last.first + last.size * more.step) {
            last.step = more.step;
            last.size += more.size;
            return;
        }
    }
    list.push_back(more);
}

// Where dense indices of a list lie, in elements: the place of each times the
// step of the dimension.
void append_places(const AxisRuns &axis, const DRI_Range &dense, int64_t first_place, int64_t step,
                   OffsetList &list) {
    const int64_t place = axis.place_of(dense.first);
    const auto inside = math::densified(dense, axis.box(axis.box_of(dense.first)));
    if (inside) {
        append_offsets(
            list, {(first_place + place) * step, inside->size == 1 ? step : inside->stride * step, dense.size});
        return;
    }
    for (int64_t k = 0; k < dense.size; ++k)
        append_offsets(list, {(first_place + axis.place_of(math::member_at(dense, k))) * step, step, 1});
}

// A range of dense indices of a slice as dense indices of the whole.
DRI_Range in_whole(const DRI_Range &dense, const DRI_Range &slice, const DRI_Range &whole) {
    return math::densified(math::undensified(dense, slice).value(), whole).value();
}

Nest nest_of_box(const Holding &own, const Ranges &dense) {
    Nest nest(dense.size());
    if (own.is_product()) {
        const Dims steps = own.steps(0);
        for (size_t d = 0; d < dense.size(); ++d)
            append_places(own.axes()[d], dense[d], own.rims()[d].left, steps[d], nest[d]);
        return nest;
    }
    const Dims first = firsts_of(dense);
    const int64_t place = own.own_place(first);
    for (size_t d = 0; d < dense.size(); ++d) {
        const int64_t step = dense[d].size > 1 ? own.step_of(first, d, dense[d].stride) : 1;
        nest[d].push_back({d == 0 ? place : 0, step, dense[d].size});
    }
    return nest;
}

template <class Visit> void walk(const Nest &nest, size_t d, int64_t offset, Visit &&visit) {
    for (const OffsetRun &along : nest[d]) {
        if (d + 1 == nest.size()) {
            visit(offset + along.first, along.step, along.size);
            continue;
        }
        for (int64_t k = 0; k < along.size; ++k)
            walk(nest, d + 1, offset + along.first + k * along.step, visit);
    }
}

template <size_t N>
void copy_row(const std::byte *from, int64_t from_step, std::byte *to, int64_t to_step, int64_t n) {
    for (int64_t k = 0; k < n; ++k)
        std::memcpy(to + k * to_step, from + k * from_step, N);
}

void copy_even(const std::byte *from, int64_t from_step, std::byte *to, int64_t to_step, int64_t n, size_t pitch) {
    const auto whole = static_cast<int64_t>(pitch);
    if (from_step == whole && to_step == whole) {
        std::memcpy(to, from, static_cast<size_t>(n) * pitch);
        return;
    }
    switch (pitch) {
    case 1: return copy_row<1>(from, from_step, to, to_step, n);
    case 2: return copy_row<2>(from, from_step, to, to_step, n);
    case 4: return copy_row<4>(from, from_step, to, to_step, n);
    case 8: return copy_row<8>(from, from_step, to, to_step, n);
    case 16: return copy_row<16>(from, from_step, to, to_step, n);
    default:
        for (int64_t k = 0; k < n; ++k)
            std::memcpy(to + k * to_step, from + k * from_step, pitch);
    }
}

// Calls row(offset in the array, step there, number, place in the buffer), all
// in elements, for each row.
template <class Row> void for_each_row(const Packing &packing, Row &&row) {
    int64_t at = 0;
    for (const Nest &nest : packing.nests)
        walk(nest, 0, 0, [&](int64_t offset, int64_t step, int64_t n) {
            row(offset, step, n, at);
            at += n;
        });
}

} // namespace

void pack(const Packing &packing, const std::byte *array, std::byte *buffer, size_t pitch) {
    const auto bytes = static_cast<int64_t>(pitch);
    for_each_row(packing, [&](int64_t offset, int64_t step, int64_t n, int64_t at) {
        copy_even(array + offset * bytes, step * bytes, buffer + at * bytes, bytes, n, pitch);
    });
}

void unpack(const Packing &packing, const std::byte *buffer, std::byte *array, size_t pitch) {
    const auto bytes = static_cast<int64_t>(pitch);
    for_each_row(packing, [&](int64_t offset, int64_t step, int64_t n, int64_t at) {
        copy_even(buffer + at * bytes, bytes, array + offset * bytes, step * bytes, n, pitch);
    });
}

void unpack_each(const Packing &packing, const std::byte *buffer, std::byte *array, size_t pitch,
                 const ElementCopy &copy) {
    const auto bytes = static_cast<int64_t>(pitch);
    for_each_row(packing, [&](int64_t offset, int64_t step, int64_t n, int64_t at) {
        for (int64_t k = 0; k < n; ++k)
            copy(buffer + (at + k) * bytes, array + (offset + k * step) * bytes);
    });
}

Packing packing_of(const Space &whole, const Space &slice, int position, bool as_list) {
    const Holding &own = whole.holding(position), &part = slice.holding(position);
    Packing packing;
    packing.size = part.owned();
    if (packing.size == 0)
        return packing;
    const size_t n = whole.ndims();
    if (part.is_product() && own.is_product() && !as_list) {
        Nest nest(n);
        const Dims steps = own.steps(0);
        for (size_t d = 0; d < n; ++d)
            for (int64_t i = 0; i < part.axes()[d].num_boxes(); ++i)
                append_places(own.axes()[d], in_whole(part.axes()[d].box(i), slice.ranges()[d], whole.ranges()[d]),
                              own.rims()[d].left, steps[d], nest[d]);
        packing.nests.push_back(std::move(nest));
        return packing;
    }
    for (int64_t i = 0; i < part.num_boxes(); ++i) {
        Ranges dense = part.box(i);
        for (size_t d = 0; d < n; ++d)
            dense[d] = in_whole(dense[d], slice.ranges()[d], whole.ranges()[d]);
        packing.nests.push_back(nest_of_box(own, dense));
    }
    return packing;
}

std::optional<EvenNest> even_nest(const Packing &packing, size_t ndims) {
    if (packing.nests.size() != 1)
        return std::nullopt;
    EvenNest found;
    found.steps = Dims(ndims, 1);
    for (size_t d = 0; d < ndims; ++d) {
        const OffsetList &along = packing.nests[0][d];
        if (along.size() != 1 || (along[0].size > 1 && along[0].step < 1))
            return std::nullopt;
        found.first += along[0].first;
        if (along[0].size > 1)
            found.steps[d] = along[0].step;
    }
    return found;
}

} // namespace dri::domain
