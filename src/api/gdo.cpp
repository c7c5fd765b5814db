// The calls of gdo.h: element types and global data objects.
#include "model/gdo.hpp"
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "base/checked.hpp"
#include "model/element_type.hpp"

#include <limits>

namespace dri::api {

namespace {

// The index of a built-in type is the number of its scalar; that of a complex type is larger by this.
constexpr uint32_t complex_index = 16;
static_assert(static_cast<uint32_t>(Scalar::float64) < complex_index);

constexpr DRI_Type own_real(Scalar scalar) {
    return {HandleId::encode(HandleKind::type, 0, static_cast<uint32_t>(scalar))};
}

constexpr DRI_Type own_complex(Scalar scalar) {
    return {HandleId::encode(HandleKind::type, 0, complex_index + static_cast<uint32_t>(scalar))};
}

} // namespace

model::ElementType get_type(DRI_Type type) {
    const HandleId id = HandleId::decode(type.id, HandleKind::type);
    if (id.generation != 0)
        return *get(type);
    const bool complex = id.index >= complex_index;
    const auto scalar = static_cast<Scalar>(complex ? id.index - complex_index : id.index);
    if (scalar < Scalar::int8 || scalar > Scalar::float64 || (complex && !model::has_complex(scalar)))
        fail(DRI_ERR_HANDLE, "the handle is not a valid type");
    return complex ? model::make_complex(scalar) : model::make_real(scalar);
}

DRI_Type type_handle(const model::ElementType &type) {
    if (model::is_record(type))
        return make_handle<DRI_Type>(type);
    return type.complex ? own_complex(type.scalar) : own_real(type.scalar);
}

} // namespace dri::api

extern "C" {

const DRI_Type DRI_INT8 = dri::api::own_real(dri::Scalar::int8);
const DRI_Type DRI_INT16 = dri::api::own_real(dri::Scalar::int16);
const DRI_Type DRI_INT32 = dri::api::own_real(dri::Scalar::int32);
const DRI_Type DRI_INT64 = dri::api::own_real(dri::Scalar::int64);
const DRI_Type DRI_UINT8 = dri::api::own_real(dri::Scalar::uint8);
const DRI_Type DRI_UINT16 = dri::api::own_real(dri::Scalar::uint16);
const DRI_Type DRI_UINT32 = dri::api::own_real(dri::Scalar::uint32);
const DRI_Type DRI_UINT64 = dri::api::own_real(dri::Scalar::uint64);
const DRI_Type DRI_FLOAT = dri::api::own_real(dri::Scalar::float32);
const DRI_Type DRI_DOUBLE = dri::api::own_real(dri::Scalar::float64);
const DRI_Type DRI_COMPLEX_INT8 = dri::api::own_complex(dri::Scalar::int8);
const DRI_Type DRI_COMPLEX_INT16 = dri::api::own_complex(dri::Scalar::int16);
const DRI_Type DRI_COMPLEX_FLOAT = dri::api::own_complex(dri::Scalar::float32);
const DRI_Type DRI_COMPLEX_DOUBLE = dri::api::own_complex(dri::Scalar::float64);

int DRI_type_create(size_t size, size_t alignment, DRI_Type *type) {
    return dri::api::guard("DRI_type_create", [&] {
        DRI_Type &out = dri::api::null_handle(type, "type");
        dri::api::session();
        // The library calculates with int64_t, so a size_t beyond that is refused at the boundary.
        const auto signed_size = [](size_t n, const char *what) {
            if (n > static_cast<size_t>(std::numeric_limits<int64_t>::max()))
                dri::fail(DRI_ERR_OVERFLOW, "{} {} does not fit into 63 bits", what, n);
            return static_cast<int64_t>(n);
        };
        out = dri::api::make_handle<DRI_Type>(
            dri::model::make_record(signed_size(size, "size"), signed_size(alignment, "alignment")));
    });
}

int DRI_type_get_pitch(DRI_Type type, size_t *pitch) {
    return dri::api::guard("DRI_type_get_pitch", [&] {
        dri::api::session();
        const dri::model::ElementType element = dri::api::get_type(type);
        dri::api::require_pointer(pitch, "pitch");
        *pitch = static_cast<size_t>(element.pitch());
    });
}

int DRI_type_get_size(DRI_Type type, size_t *size, size_t *alignment) {
    return dri::api::guard("DRI_type_get_size", [&] {
        dri::api::session();
        const dri::model::ElementType element = dri::api::get_type(type);
        if (size)
            *size = static_cast<size_t>(element.size);
        if (alignment)
            *alignment = static_cast<size_t>(element.alignment);
    });
}

int DRI_type_destroy(DRI_Type *type) {
    return dri::api::guard("DRI_type_destroy", [&] { dri::api::destroy_handle(type, "type"); });
}

int DRI_gdo_create(int ndims, DRI_Type type, const int64_t sizes[], DRI_Gdo *gdo) {
    return dri::api::guard("DRI_gdo_create", [&] {
        DRI_Gdo &out = dri::api::null_handle(gdo, "gdo");
        dri::api::session();
        const auto array = dri::api::checked_array(sizes, dri::api::checked_ndims(ndims), "sizes");
        out = dri::api::make_handle<DRI_Gdo>(dri::model::make_gdo(dri::api::get_type(type), array));
    });
}

int DRI_gdo_subset(DRI_Gdo gdo, const int64_t offsets[], const int64_t sizes[], DRI_Gdo *sub) {
    return dri::api::guard("DRI_gdo_subset", [&] {
        DRI_Gdo &out = dri::api::null_handle(sub, "sub");
        dri::api::session();
        // The subset is a value of its own: its parent's handle may be destroyed.
        const auto parent = dri::api::get(gdo);
        const auto from = dri::api::checked_array(offsets, parent->ndims(), "offsets");
        const auto array = dri::api::checked_array(sizes, parent->ndims(), "sizes");
        out = dri::api::make_handle<DRI_Gdo>(dri::model::make_subset(*parent, from, array));
    });
}

int DRI_gdo_get_sizes(DRI_Gdo gdo, int *ndims, int64_t sizes[]) {
    return dri::api::guard("DRI_gdo_get_sizes", [&] {
        dri::api::session();
        const auto object = dri::api::get(gdo);
        if (ndims)
            *ndims = static_cast<int>(object->ndims());
        if (sizes)
            dri::api::copy_out(object->sizes, sizes, "sizes");
    });
}

int DRI_gdo_get_type(DRI_Gdo gdo, DRI_Type *type) {
    return dri::api::guard("DRI_gdo_get_type", [&] {
        DRI_Type &out = dri::api::null_handle(type, "type");
        dri::api::session();
        out = dri::api::type_handle(dri::api::get(gdo)->type);
    });
}

int DRI_gdo_get_offset(DRI_Gdo gdo, int64_t offsets[], int64_t whole_sizes[]) {
    return dri::api::guard("DRI_gdo_get_offset", [&] {
        dri::api::session();
        const auto object = dri::api::get(gdo);
        if (offsets)
            dri::api::copy_out(object->offset, offsets, "offsets");
        if (whole_sizes)
            dri::api::copy_out(object->root_sizes, whole_sizes, "whole_sizes");
    });
}

int DRI_gdo_get_count(DRI_Gdo gdo, int64_t *elements, int64_t *bytes) {
    return dri::api::guard("DRI_gdo_get_count", [&] {
        dri::api::session();
        const auto object = dri::api::get(gdo);
        if (elements)
            // Neither product overflows: the GDO was checked when it was made, and a subset is not larger.
            *elements = dri::model::count_elements(object->sizes);
        if (bytes)
            *bytes = dri::model::count_bytes(*object);
    });
}

// Subsets and distributions contain a copy of the GDO and stay valid.
int DRI_gdo_destroy(DRI_Gdo *gdo) {
    return dri::api::guard("DRI_gdo_destroy", [&] { dri::api::destroy_handle(gdo, "gdo"); });
}
}
