// The calls of layout.h: how a part lies in memory.
#include "model/layout.hpp"
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "model/distribution.hpp"

namespace dri::api {

namespace {

constexpr DRI_Layout own_layout(model::LayoutKind kind) {
    return {HandleId::encode(HandleKind::layout, 0, static_cast<uint32_t>(kind))};
}

static_assert(model::pitch_auto == DRI_PITCH_AUTO);
static_assert(static_cast<int>(model::ComplexFormat::interleaved) == DRI_INTERLEAVED &&
              static_cast<int>(model::ComplexFormat::split) == DRI_SPLIT);

// How the part of a process lies in memory with a layout.
model::BufferShape shape(DRI_Layout layout, DRI_Dist dist, int rank) {
    // A packed layout alone has no strides: they follow from the extents of the part and its element type.
    const model::Layout l = get_layout(layout);
    const auto d = get(dist);
    const auto position = d->group().position(rank);
    if (!position)
        fail(DRI_ERR_ARG, "process {} is not in the group {}", rank, model::to_text(d->group()));
    return model::buffer_shape(l, d->extents(*position), d->gdo().type);
}

} // namespace

model::Layout get_layout(DRI_Layout layout) {
    const HandleId id = HandleId::decode(layout.id, HandleKind::layout);
    if (id.generation != 0)
        return *get(layout);
    model::Layout own;
    own.kind = static_cast<model::LayoutKind>(id.index);
    if (own.kind != model::LayoutKind::row_major && own.kind != model::LayoutKind::col_major)
        fail(DRI_ERR_HANDLE, "the handle is not a valid layout");
    return own;
}

DRI_Layout layout_handle(const model::Layout &layout) {
    for (const auto kind : {model::LayoutKind::row_major, model::LayoutKind::col_major})
        if (layout == model::Layout{.kind = kind, .order = {}, .strides = {}})
            return own_layout(kind);
    return make_handle<DRI_Layout>(layout);
}

} // namespace dri::api

extern "C" {

const DRI_Layout DRI_ROW_MAJOR = dri::api::own_layout(dri::model::LayoutKind::row_major);
const DRI_Layout DRI_COL_MAJOR = dri::api::own_layout(dri::model::LayoutKind::col_major);

int DRI_layout_create_packed(int ndims, const int order[], DRI_Layout *layout) {
    return dri::api::guard("DRI_layout_create_packed", [&] {
        DRI_Layout &out = dri::api::null_handle(layout, "layout");
        dri::api::session();
        const auto array = dri::api::checked_array(order, dri::api::checked_ndims(ndims), "order");
        out = dri::api::make_handle<DRI_Layout>(dri::model::make_packed(array));
    });
}

int DRI_layout_create(int ndims, const int64_t strides[], DRI_Layout *layout) {
    return dri::api::guard("DRI_layout_create", [&] {
        DRI_Layout &out = dri::api::null_handle(layout, "layout");
        dri::api::session();
        const auto array = dri::api::checked_array(strides, dri::api::checked_ndims(ndims), "strides");
        out = dri::api::make_handle<DRI_Layout>(dri::model::make_strided(array));
    });
}

int DRI_layout_with_pitch(DRI_Layout layout, int64_t multiple, DRI_Layout *padded) {
    return dri::api::guard("DRI_layout_with_pitch", [&] {
        DRI_Layout &out = dri::api::null_handle(padded, "padded");
        dri::api::session();
        out = dri::api::make_handle<DRI_Layout>(dri::model::with_pitch(dri::api::get_layout(layout), multiple));
    });
}

int DRI_layout_with_complex(DRI_Layout layout, DRI_Complex_format format, DRI_Layout *complex_layout) {
    return dri::api::guard("DRI_layout_with_complex", [&] {
        DRI_Layout &out = dri::api::null_handle(complex_layout, "complex_layout");
        dri::api::session();
        out = dri::api::make_handle<DRI_Layout>(
            dri::model::with_complex(dri::api::get_layout(layout), dri::number_of(format)));
    });
}

int DRI_layout_get_strides(DRI_Layout layout, DRI_Dist dist, int rank, int64_t strides[]) {
    return dri::api::guard("DRI_layout_get_strides", [&] {
        dri::api::session();
        dri::api::copy_out(dri::api::shape(layout, dist, rank).strides, strides, "strides");
    });
}

int DRI_layout_get_plane(DRI_Layout layout, DRI_Dist dist, int rank, int64_t *components) {
    return dri::api::guard("DRI_layout_get_plane", [&] {
        dri::api::session();
        const dri::model::BufferShape shape = dri::api::shape(layout, dist, rank);
        dri::api::require_pointer(components, "components");
        if (!shape.type.complex)
            dri::fail(DRI_ERR_ARG, "the element type {} has no imaginary parts", dri::model::to_text(shape.type));
        *components = shape.split ? shape.span : 1;
    });
}

int DRI_layout_get_order(DRI_Layout layout, int ndims, int order[]) {
    return dri::api::guard("DRI_layout_get_order", [&] {
        dri::api::session();
        const size_t n = dri::api::checked_ndims(ndims);
        dri::api::copy_out(dri::model::order_of(dri::api::get_layout(layout), n), order, "order");
    });
}

int DRI_layout_get_options(DRI_Layout layout, int64_t strides[], int64_t *multiple, DRI_Complex_format *format) {
    return dri::api::guard("DRI_layout_get_options", [&] {
        dri::api::session();
        const dri::model::Layout from = dri::api::get_layout(layout);
        if (strides) {
            std::fill_n(strides, DRI_MAX_DIMS, 0);
            std::copy(from.strides.begin(), from.strides.end(), strides);
        }
        if (multiple)
            *multiple = from.pitch;
        if (format)
            *format = static_cast<DRI_Complex_format>(from.format);
    });
}

int DRI_layout_destroy(DRI_Layout *layout) {
    return dri::api::guard("DRI_layout_destroy", [&] { dri::api::destroy_handle(layout, "layout"); });
}
}
