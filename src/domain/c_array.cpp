// The calls of array.h that are local, and those that make arrays.
#include "base/enum_number.hpp"
#include "base/kept.hpp"
#include "domain/array_object.hpp"
#include "outer/calls.hpp"

namespace dri::domain {

namespace {

void set_attr(ArraySettings &settings, int attr, int64_t value) {
    const auto require_between = [&](const char *name, int64_t lo, int64_t hi) {
        if (value < lo || value > hi)
            fail(DRI_ERR_ARG, "{} is {}, but must be {} to {}", name, value, lo, hi);
    };
    switch (attr) {
    case DRI_ARRAY_BULK:
        require_between("DRI_ARRAY_BULK", 0, 1);
        settings.bulk = value == 1;
        return;
    case DRI_ARRAY_PLANS:
        require_between("DRI_ARRAY_PLANS", 0, 1024);
        settings.plans = value;
        return;
    case DRI_ARRAY_THREADS:
        require_between("DRI_ARRAY_THREADS", 1, 1024);
        settings.threads = value;
        return;
    case DRI_ARRAY_TIMEOUT_MS:
        require_between("DRI_ARRAY_TIMEOUT_MS", 0, INT32_MAX);
        settings.timeout_ms = value;
        return;
    }
    fail(DRI_ERR_ARG, "attr is {}, which is none of DRI_Array_attr", attr);
}

ArraySettings &settings_of(const ArrayObject &array) {
    array.require_current();
    return array.elements()->settings();
}

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_array_create(DRI_Domain domain, DRI_Type type, void *data, DRI_Array *array) {
    return dri::outer::run("DRI_array_create", [&] {
        if (array)
            *array = {};
        else if (!domain.id)
            dri::outer::require_pointer(array, "array"); // alone: nobody else is known
        auto elements =
            std::make_shared<dri::domain::Elements>(dri::domain::DomainObjects::get(domain), type, data,
                                                    [array] { dri::outer::require_pointer(array, "array"); });
        elements->domain()->add(elements);
        *array = dri::outer::AnyArrays::insert(std::make_shared<dri::domain::ArrayObject>(std::move(elements)));
    });
}

int DRI_array_slice(DRI_Array array, const DRI_Range ranges[], unsigned dropped, DRI_Array *alias) {
    return dri::outer::run("DRI_array_slice", [&] {
        DRI_Array &made = dri::outer::null_handle(alias, "alias");
        const auto found = dri::domain::get_array(array);
        dri::outer::require_pointer(ranges, "ranges");
        made = dri::outer::AnyArrays::insert(std::make_shared<dri::domain::ArrayObject>(*found, ranges, dropped));
    });
}

int DRI_array_get_domain(DRI_Array array, DRI_Domain *domain) {
    return dri::outer::run("DRI_array_get_domain", [&] {
        DRI_Domain &made = dri::outer::null_handle(domain, "domain");
        const auto found = dri::domain::get_array(array);
        found->require_current();
        made = dri::domain::DomainObjects::insert(found->domain());
    });
}

int DRI_array_get_type(DRI_Array array, DRI_Type *type) {
    return dri::outer::run("DRI_array_get_type", [&] {
        DRI_Type &made = dri::outer::null_handle(type, "type");
        const auto found = dri::outer::AnyArrays::get(array);
        dri::outer::OwnedGdo one;
        const int64_t size = 1;
        dri::outer::require(DRI_gdo_create(1, found->type(), &size, one.out()));
        dri::outer::require(DRI_gdo_get_type(one.get(), &made));
    });
}

int DRI_array_view(DRI_Array array, int64_t box, const DRI_View **view) {
    return dri::outer::run("DRI_array_view", [&] {
        const auto found = dri::domain::get_array(array);
        dri::outer::require_pointer(view, "view");
        *view = found->view(box);
    });
}

int DRI_array_at(DRI_Array array, const int64_t index[], void **element) {
    return dri::outer::run("DRI_array_at", [&] {
        const auto found = dri::domain::get_array(array);
        dri::outer::require_pointer(index, "index");
        dri::outer::require_pointer(element, "element");
        *element = found->at(index);
    });
}

int DRI_array_keep(DRI_Array array, DRI_Kept **kept) {
    return dri::outer::run("DRI_array_keep", [&] {
        dri::outer::require_pointer(kept, "kept");
        *kept = nullptr;
        *kept = reinterpret_cast<DRI_Kept *>(new dri::Kept(dri::outer::AnyArrays::get(array)->memory()));
    });
}

int DRI_array_set_attr(DRI_Array array, DRI_Array_attr attr, int64_t value) {
    return dri::outer::run("DRI_array_set_attr", [&] {
        dri::domain::set_attr(dri::domain::settings_of(*dri::domain::get_array(array)), dri::number_of(attr),
                              value);
    });
}

int DRI_array_set_copy(DRI_Array array, void (*copy)(const void *from, void *to, void *ctx), void *ctx) {
    return dri::outer::run("DRI_array_set_copy", [&] {
        auto &settings = dri::domain::settings_of(*dri::domain::get_array(array));
        settings.copy = copy;
        settings.copy_ctx = ctx;
    });
}

int DRI_array_describe(DRI_Array array, char *text, size_t n) {
    return dri::outer::run("DRI_array_describe",
                           [&] { dri::outer::give_text(dri::outer::AnyArrays::get(array)->describe(), text, n); });
}

int DRI_array_destroy(DRI_Array *array) {
    return dri::outer::run("DRI_array_destroy", [&] { dri::outer::AnyArrays::destroy(array, "array"); });
}
}
