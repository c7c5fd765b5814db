// The calls of domain.h that make domains and answer for their order and owners.
#include "base/enum_number.hpp"
#include "domain/dense.hpp"
#include "domain/objects.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

DRI_Domain insert_space(std::shared_ptr<const Space> space) {
    return DomainObjects::insert(std::make_shared<DomainObject>(std::move(space)));
}

void require_rectangular(int kind) {
    if (kind == DRI_RECTANGULAR)
        return;
    if (kind < DRI_RECTANGULAR || kind > DRI_SPARSE)
        fail(DRI_ERR_ARG, "kind is {}, which is none of DRI_Domain_kind", kind);
    fail(DRI_ERR_UNSUPPORTED, "{} domains are not supported, only rectangular ones",
         kind == DRI_ASSOCIATIVE ? "associative"
         : kind == DRI_OPAQUE    ? "opaque"
                                 : "sparse");
}

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_domain_create(DRI_Map map, DRI_Domain_kind kind, const DRI_Range ranges[], DRI_Domain *domain) {
    return dri::outer::run("DRI_domain_create", [&] {
        DRI_Domain &made = dri::outer::null_handle(domain, "domain");
        const auto found = dri::domain::MapObjects::get(map);
        dri::domain::require_rectangular(dri::number_of(kind));
        const auto checked = dri::domain::checked_ranges(ranges, found->ndims(), "ranges");
        made = dri::domain::insert_space(std::make_shared<const dri::domain::Space>(found, checked));
    });
}

int DRI_domain_get_ranges(DRI_Domain domain, int *ndims, DRI_Range ranges[]) {
    return dri::outer::run("DRI_domain_get_ranges", [&] {
        const auto space = dri::domain::get_space(domain);
        if (ndims)
            *ndims = static_cast<int>(space->ndims());
        if (ranges)
            std::copy(space->ranges().begin(), space->ranges().end(), ranges);
    });
}

int DRI_domain_get_size(DRI_Domain domain, int64_t *size) {
    return dri::outer::run("DRI_domain_get_size", [&] {
        const auto space = dri::domain::get_space(domain);
        dri::outer::require_pointer(size, "size");
        *size = space->size();
    });
}

int DRI_domain_get_map(DRI_Domain domain, DRI_Map *map) {
    return dri::outer::run("DRI_domain_get_map", [&] {
        DRI_Map &made = dri::outer::null_handle(map, "map");
        made = dri::domain::MapObjects::insert(dri::domain::get_space(domain)->shared_map());
    });
}

int DRI_domain_clone(DRI_Domain domain, DRI_Domain *clone) {
    return dri::outer::run("DRI_domain_clone", [&] {
        DRI_Domain &made = dri::outer::null_handle(clone, "clone");
        made = dri::domain::insert_space(dri::domain::get_space(domain));
    });
}

int DRI_domain_equal(DRI_Domain a, DRI_Domain b, int *flag) {
    return dri::outer::run("DRI_domain_equal", [&] {
        const auto first = dri::domain::get_space(a), second = dri::domain::get_space(b);
        dri::outer::require_pointer(flag, "flag");
        *flag = first == second || are_equal(*first, *second) ? 1 : 0;
    });
}

int DRI_domain_order(DRI_Domain domain, const int64_t index[], int64_t *order) {
    return dri::outer::run("DRI_domain_order", [&] {
        const auto space = dri::domain::get_space(domain);
        dri::outer::require_pointer(index, "index");
        dri::outer::require_pointer(order, "order");
        *order = space->order_of(index);
    });
}

int DRI_domain_index(DRI_Domain domain, int64_t order, int64_t index[]) {
    return dri::outer::run("DRI_domain_index", [&] {
        const auto space = dri::domain::get_space(domain);
        dri::outer::require_pointer(index, "index");
        if (order < 0 || order >= space->size())
            dri::fail(DRI_ERR_ARG, "order is {}, but the domain {} has {} members", order, space->text(),
                      space->size());
        space->get_index(space->dense_at(order), index);
    });
}

int DRI_domain_owner(DRI_Domain domain, const int64_t index[], int *rank) {
    return dri::outer::run("DRI_domain_owner", [&] {
        const auto space = dri::domain::get_space(domain);
        dri::outer::require_pointer(index, "index");
        dri::outer::require_pointer(rank, "rank");
        static_cast<void>(space->checked_dense(index));
        *rank = space->map().owner_rank(index);
    });
}

int DRI_domain_text(DRI_Domain domain, char *text, size_t n) {
    return dri::outer::run("DRI_domain_text",
                           [&] { dri::outer::give_text(dri::domain::get_space(domain)->text(), text, n); });
}

int DRI_domain_describe(DRI_Domain domain, char *text, size_t n) {
    return dri::outer::run("DRI_domain_describe",
                           [&] { dri::outer::give_text(dri::domain::get_space(domain)->describe(), text, n); });
}

int DRI_domain_check(DRI_Domain domain) {
    return dri::outer::run("DRI_domain_check",
                           [&] { dri::domain::check_members(*dri::domain::get_space(domain)); });
}

int DRI_domain_destroy(DRI_Domain *domain) {
    return dri::outer::run("DRI_domain_destroy", [&] { dri::domain::DomainObjects::destroy(domain, "domain"); });
}
}
