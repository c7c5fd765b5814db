// The calls of piece.h that make arrays and pieces, and show them.
#include "array/apply.hpp"
#include "array/elementwise.hpp"
#include "array/init.hpp"
#include "array/pure.hpp"
#include "array/repartition.hpp"
#include "base/memory.hpp"
#include "outer/agree.hpp"
#include "outer/any_array.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::array {

namespace {

// The default partition as a rule for owners, for processes outside the group: distributions are made inside.
struct RowOwner {
    int64_t rows;
    int processes;

    static int owner(void *context, const int64_t index[], int *position) {
        const auto &own = *static_cast<const RowOwner *>(context);
        const int64_t less = own.rows / own.processes, first_larger = own.processes - own.rows % own.processes;
        const int64_t row = std::clamp<int64_t>(index[0], 0, std::max<int64_t>(own.rows - 1, 0));
        *position = static_cast<int>(
            row < first_larger * less ? row / less : first_larger + (row - first_larger * less) / (less + 1));
        return DRI_SUCCESS;
    }
    static void destroy(void *context) { delete static_cast<RowOwner *>(context); }
};

void create_map_outside(int ndims, int64_t rows, DRI_Group group, DRI_Map *map) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = "default partition";
    ops.owner = RowOwner::owner;
    ops.destroy = RowOwner::destroy;
    auto context = std::make_unique<RowOwner>(RowOwner{rows, static_cast<int>(outer::ranks_of(group).size())});
    outer::require(DRI_map_create_user(ndims, &ops, context.get(), group, map));
    static_cast<void>(context.release()); // the map destroys it
}

// Of a shape in the default partition, by the calls of the interface.
DRI_Array array_of_shape(int ndims, const int64_t shape[], DRI_Type type, DRI_Group group) {
    DRI_Array made{};
    outer::OwnedGdo gdo;
    outer::OwnedPart part;
    outer::OwnedDist dist;
    outer::OwnedHandle<DRI_Map, DRI_map_destroy> map;
    outer::OwnedHandle<DRI_Domain, DRI_domain_destroy> domain;
    DRI_Part_dim dims[DRI_MAX_DIMS]{};
    dims[0].kind = DRI_BLOCK;
    dims[0].remainder = DRI_BALANCED_LAST;
    DRI_Range ranges[DRI_MAX_DIMS]{};
    for (int d = 0; d < ndims; ++d)
        ranges[d] = {0, 1, shape[d]};
    int position = -1;
    outer::require(DRI_group_get_size(group, nullptr, &position));
    if (position < 0) {
        create_map_outside(ndims, shape[0], group, map.out());
    } else {
        outer::require(DRI_gdo_create(ndims, type, shape, gdo.out()));
        outer::require(DRI_part_create_rule(ndims, dims, part.out()));
        outer::require(DRI_dist_create(gdo.get(), part.get(), group, dist.out()));
        outer::require(DRI_map_create_dist(dist.get(), map.out()));
    }
    outer::require(DRI_domain_create(map.get(), DRI_RECTANGULAR, ranges, domain.out()));
    outer::require(DRI_array_create(domain.get(), type, nullptr, &made));
    return made;
}

std::shared_ptr<outer::AnyArray> single_element(DRI_Type type, DRI_Group group) {
    HeldParts made;
    made.type = own_type(type);
    made.pitch = element_bytes(type).pitch;
    auto memory = std::make_shared<AlignedBuffer>(made.pitch);
    made.parts[1].data = memory->data();
    made.memory.push_back(std::move(memory));
    return std::make_shared<InitArray>(std::move(made), outer::ranks_of(group));
}

DRI_View view_of_part(const HeldParts &holding, const PiecePart &part) {
    DRI_View view{};
    view.data = part.data;
    view.element_bytes = holding.pitch;
    view.ndims = holding.ndims;
    for (int d = 0; d < holding.ndims; ++d) {
        const DRI_Range &e = holding.elements[d];
        view.range[d] = {e.first + part.positions.offset[d] * e.stride, e.stride, part.positions.size[d]};
        view.step[d] = part.steps[d];
    }
    return view;
}

const ArrayPiece &as_init(const outer::AnyArray &array) {
    const auto *piece = dynamic_cast<const ArrayPiece *>(&array);
    if (!piece || !piece->is_callers_memory())
        fail(DRI_ERR_ARG, "the array is not one of DRI_array_init");
    return *piece;
}

} // namespace

} // namespace dri::array

extern "C" {

int DRI_array_create_shape(int ndims, const int64_t shape[], DRI_Type type, DRI_Group group, DRI_Array *array) {
    return dri::outer::run("DRI_array_create_shape", [&] {
        DRI_Array &made = dri::outer::null_handle(array, "array");
        dri::array::require_shape(ndims, shape);
        made = ndims == 0 ? dri::outer::AnyArrays::insert(dri::array::single_element(type, group))
                          : dri::array::array_of_shape(ndims, shape, type, group);
    });
}

int DRI_array_init(DRI_Gdo gdo, DRI_Group group, const int64_t loffs[], int nparts, const DRI_View parts[],
                   DRI_Array *array) {
    return dri::outer::run("DRI_array_init", [&] {
        DRI_Array &made = dri::outer::null_handle(array, "array");
        int position = -1;
        dri::outer::require(DRI_group_get_size(group, nullptr, &position));
        if (position < 0)
            dri::fail(DRI_ERR_ARG, "the calling process is not in the group");
        made = dri::outer::AnyArrays::insert(std::make_shared<dri::array::InitArray>(
            dri::array::checked_parts(gdo, loffs, nparts, parts), dri::outer::ranks_of(group)));
    });
}

int DRI_array_get_loffs(DRI_Array array, int64_t loffs[]) {
    return dri::outer::run("DRI_array_get_loffs", [&] {
        const auto found = dri::outer::AnyArrays::get(array);
        dri::array::HeldParts room;
        const dri::array::HeldParts &holding = dri::array::places_of(*found, room);
        if (holding.ndims > 0)
            dri::outer::require_pointer(loffs, "loffs");
        std::copy(holding.start.offset, holding.start.offset + holding.ndims, loffs);
    });
}

int DRI_array_get_parts(DRI_Array array, int *nparts, DRI_View parts[]) {
    return dri::outer::run("DRI_array_get_parts", [&] {
        const auto found = dri::outer::AnyArrays::get(array);
        dri::array::HeldParts room;
        const dri::array::HeldParts &holding = dri::array::places_of(*found, room);
        dri::outer::require_pointer(nparts, "nparts");
        dri::outer::require_pointer(parts, "parts");
        dri::array::require_host(holding.device);
        *nparts = holding.ndims ? 3 : 1;
        for (int i = 0; i < *nparts; ++i)
            parts[i] =
                dri::array::view_of_part(holding, holding.parts[static_cast<size_t>(holding.ndims ? i : 1)]);
    });
}

int DRI_array_set_device(DRI_Array array, const char *device) {
    return dri::outer::run("DRI_array_set_device", [&] {
        const auto found = dri::outer::AnyArrays::get(array);
        dri::outer::require_pointer(device, "device");
        const std::string name(device);
        if (name.size() > 63)
            dri::fail(DRI_ERR_ARG, "device has {} bytes, but at most 63 fit", name.size());
        static_cast<void>(dri::array::as_init(*found));
        dynamic_cast<dri::array::ArrayPiece &>(*found).set_device(name);
    });
}

int DRI_array_get_device(DRI_Array array, char *text, size_t n) {
    return dri::outer::run("DRI_array_get_device", [&] {
        const auto found = dri::outer::AnyArrays::get(array);
        const auto *piece = dynamic_cast<const dri::array::ArrayPiece *>(found.get());
        dri::outer::give_text(piece ? piece->holding().device : "host", text, n);
    });
}

int DRI_array_subview(DRI_Array array, const DRI_Range slice[], const DRI_Box *target, DRI_Array *piece) {
    return dri::outer::run("DRI_array_subview", [&] {
        DRI_Array &made = dri::outer::null_handle(piece, "piece");
        const auto found = dri::outer::AnyArrays::get(array);
        const auto origin = std::dynamic_pointer_cast<dri::array::ArrayPiece>(found);
        const bool is_piece = origin != nullptr;
        if (!is_piece && !target) {
            dri::outer::require(DRI_array_slice(array, slice, 0, &made));
            return;
        }
        const dri::array::HeldParts whole = dri::array::holding_of(found);
        dri::array::require_view(whole.ndims, slice, "slice");
        if (target)
            dri::array::require_box(whole.ndims, target, "target");
        DRI_Range positions[DRI_MAX_DIMS];
        std::copy(slice, slice + whole.ndims, positions);
        if (!is_piece)
            dri::array::positions_of(*found, slice, positions);
        const auto part =
            std::make_shared<dri::array::ArrayPiece>(dri::array::subview_of(whole, positions, target));
        if (is_piece)
            part->set_origin(origin);
        else
            part->set_halos(nullptr, found);
        made = dri::outer::AnyArrays::insert(part);
    });
}

int DRI_array_repartition(DRI_Array array, const DRI_Box *target, DRI_Array *piece) {
    return dri::outer::run("DRI_array_repartition", [&] {
        DRI_Array &made = dri::outer::null_handle(piece, "piece");
        made = dri::outer::AnyArrays::insert(dri::array::repartition(dri::outer::AnyArrays::get(array), target));
    });
}

int DRI_array_ewuny(DRI_Op op, DRI_Array a, const DRI_Box *target, const DRI_Box *core, DRI_Array *result) {
    return dri::outer::run("DRI_array_ewuny", [&] {
        DRI_Array &made = dri::outer::null_handle(result, "result");
        made = dri::outer::AnyArrays::insert(dri::array::apply(op, {dri::outer::AnyArrays::get(a)}, target, core));
    });
}

int DRI_array_ewbin(DRI_Op op, DRI_Array a, DRI_Array b, const DRI_Box *target, const DRI_Box *core,
                    DRI_Array *result) {
    return dri::outer::run("DRI_array_ewbin", [&] {
        DRI_Array &made = dri::outer::null_handle(result, "result");
        made = dri::outer::AnyArrays::insert(
            dri::array::apply(op, {dri::outer::AnyArrays::get(a), dri::outer::AnyArrays::get(b)}, target, core));
    });
}
}
