// The calls of gdo.h: element types and global data objects.
#include "model/gdo.hpp"
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "base/checked.hpp"
#include "model/element_type.hpp"

#include <limits>

extern "C" {

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
        const auto made = dri::model::make_record(signed_size(size, "size"), signed_size(alignment, "alignment"));
        out.id = dri::api::type_handles.insert(std::make_shared<const dri::model::ElementType>(made));
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

int DRI_type_destroy(DRI_Type *type) {
    return dri::api::guard("DRI_type_destroy", [&] {
        dri::api::session();
        dri::api::require_pointer(type, "type");
        // A built-in type is in no table. Without this check, the message would call its handle stale.
        if (dri::api::HandleId::decode(type->id, dri::api::HandleKind::type).generation == 0)
            dri::fail(DRI_ERR_HANDLE, "the handle is a built-in type, which cannot be destroyed");
        dri::api::type_handles.erase(type->id);
        *type = {};
    });
}

int DRI_gdo_create(int ndims, DRI_Type type, const int64_t sizes[], DRI_Gdo *gdo) {
    return dri::api::guard("DRI_gdo_create", [&] {
        DRI_Gdo &out = dri::api::null_handle(gdo, "gdo");
        dri::api::session();
        const auto array = dri::api::checked_array(sizes, dri::api::checked_ndims(ndims), "sizes");
        out.id = dri::api::gdo_handles.insert(
            std::make_shared<const dri::model::Gdo>(dri::model::make_gdo(dri::api::get_type(type), array)));
    });
}

int DRI_gdo_subset(DRI_Gdo gdo, const int64_t offsets[], const int64_t sizes[], DRI_Gdo *sub) {
    return dri::api::guard("DRI_gdo_subset", [&] {
        DRI_Gdo &out = dri::api::null_handle(sub, "sub");
        dri::api::session();
        // The subset is a value of its own: its parent's handle may be destroyed.
        const auto parent = dri::api::gdo_handles.get(gdo.id);
        const auto from = dri::api::checked_array(offsets, parent->ndims(), "offsets");
        const auto array = dri::api::checked_array(sizes, parent->ndims(), "sizes");
        out.id = dri::api::gdo_handles.insert(
            std::make_shared<const dri::model::Gdo>(dri::model::make_subset(*parent, from, array)));
    });
}

int DRI_gdo_get_sizes(DRI_Gdo gdo, int *ndims, int64_t sizes[]) {
    return dri::api::guard("DRI_gdo_get_sizes", [&] {
        dri::api::session();
        const auto object = dri::api::gdo_handles.get(gdo.id);
        if (ndims)
            *ndims = static_cast<int>(object->ndims());
        if (sizes)
            dri::api::copy_out(object->sizes, sizes, "sizes");
    });
}

int DRI_gdo_get_count(DRI_Gdo gdo, int64_t *elements, int64_t *bytes) {
    return dri::api::guard("DRI_gdo_get_count", [&] {
        dri::api::session();
        const auto object = dri::api::gdo_handles.get(gdo.id);
        if (elements)
            // Neither product overflows: the GDO was checked when it was made, and a subset is not larger.
            *elements = dri::model::count_elements(object->sizes);
        if (bytes)
            *bytes = dri::model::count_bytes(*object);
    });
}

int DRI_gdo_destroy(DRI_Gdo *gdo) {
    return dri::api::guard("DRI_gdo_destroy", [&] {
        dri::api::session();
        dri::api::require_pointer(gdo, "gdo");
        // Subsets and distributions contain a copy of the GDO and stay valid.
        dri::api::gdo_handles.erase(gdo->id);
        *gdo = {};
    });
}
}
