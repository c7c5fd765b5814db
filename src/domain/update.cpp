// Updates of overlap: a transfer in place between the dense distribution of an
// array and itself.
#include "base/common_settings.hpp"
#include "domain/array_object.hpp"
#include "domain/dense.hpp"
#include "outer/calls.hpp"

#include <dri/stream.h>
#include <dri/xfer.h>

#include <array>
#include <span>

namespace dri::domain {

namespace {

using outer::require;
using Update = Elements::Update;
using Updating = Elements::Updating;

bool has_overlap(const Space &space) {
    if (const auto *dist_map = std::get_if<DistMap>(&space.map().sort()))
        return dist_map->overlaps && is_whole(*dist_map, space.ranges());
    const auto *grid = std::get_if<GridMap>(&space.map().sort());
    if (!grid)
        return false;
    for (const DimRule &rule : grid->dims)
        if (rule.left > 0 || rule.right > 0)
            return true;
    return false;
}

// Where the part of the distribution starts in the array, whose space beyond
// the domain is not in it.
void *start_of_part(const Elements &elements, DRI_Dist dist) {
    const DRI_View &view = elements.first_view();
    std::array<DRI_Part_tuple, max_dims> part;
    require(DRI_dist_get_part(dist, world_rank(), part.data()));
    int64_t before = 0;
    for (size_t d = 0; d < elements.space().ndims(); ++d)
        before += part[d].left_v * view.step[d];
    return static_cast<std::byte *>(view.data) - before * view.element_bytes;
}

void make_ends(const Elements &elements, Update &update) {
    const size_t n = elements.space().ndims();
    const bool is_empty = elements.body().holding().owned() == 0;
    outer::OwnedLayout layout;
    require(DRI_layout_create(static_cast<int>(n), elements.first_view().step, layout.out()));
    void *buffer = is_empty ? nullptr : start_of_part(elements, update.dist.get());
    for (auto *const end : {&update.source, &update.sink}) {
        const DRI_Role role = end == &update.source ? DRI_SOURCE : DRI_SINK;
        require(DRI_xfer_create(update.name.c_str(), role, update.dist.get(),
                                is_empty ? DRI_ROW_MAJOR : layout.get(), 1, &buffer, end->out()));
        require(DRI_xfer_set_attr(end->get(), DRI_ATTR_IN_PLACE, DRI_IN_PLACE));
        apply(elements.settings(), end->get());
    }
}

// The update of an array whose map has overlap, ready to be run; otherwise
// nullptr.
Update *ready_update(Elements &elements) {
    const DomainMap &map = elements.space().map();
    if (elements.body().position < 0 || !has_overlap(elements.space()))
        return nullptr;
    const bool is_known = elements.update.has_value();
    if (is_known && (!common_settings.check || elements.updating != Updating::no))
        return &*elements.update;
    const RankScope all(map.ranks());
    if (is_known) {
        const Digest name = digest(std::as_bytes(std::span(elements.update->name)));
        outer::agree(all.scope(), name, "an update of overlap", [] {});
        return &*elements.update;
    }
    Update made;
    Writer key;
    put_space(key, elements.space());
    const Digest space = digest(key.take());
    made.name = outer::agree(all.scope(), space, "an update of overlap", [] {});
    made.dist = make_dense_dist(elements.space(), elements.kind().type.get(), elements.body().position,
                                whole_choice(elements.space(), true));
    outer::agree(all.scope(), space, "an update of overlap", [&] { make_ends(elements, made); });
    const DRI_Xfer ends[] = {made.source.get(), made.sink.get()};
    require(DRI_commit_ends(all.group(), 2, ends));
    return &elements.update.emplace(std::move(made));
}

// again: the state in which the same call goes on.
Elements &elements_to_update(const ArrayObject &array, Updating again) {
    if (array.is_alias())
        fail(DRI_ERR_UNSUPPORTED, "the array is an alias; the overlap is that of its array");
    Elements &elements = *array.elements();
    if (elements.updating != Updating::no && elements.updating != again)
        fail(DRI_ERR_STATE, "an update of overlap of the array is under way");
    return elements;
}

// Runs a call of the update. during: the state after a timeout, after: that after success.
void run_update(Elements &elements, Update &update, int (*call)(const char *, DRI_Xfer), Updating during,
                Updating after) {
    apply_timeout(elements.settings(), update.source_timeout, update.source.get());
    apply_timeout(elements.settings(), update.sink_timeout, update.sink.get());
    const int code = call(update.name.c_str(), DRI_XFER_NULL);
    elements.updating = code == DRI_SUCCESS ? after : code == DRI_ERR_TIMEOUT ? during : Updating::no;
    require(code);
}

} // namespace

void ArrayObject::update_overlap() {
    Elements &elements = elements_to_update(*this, Updating::whole);
    if (Update *update = ready_update(elements))
        run_update(elements, *update, DRI_do, Updating::whole, Updating::no);
}

void ArrayObject::start_update() {
    Elements &elements = elements_to_update(*this, Updating::first_half);
    if (Update *update = ready_update(elements))
        run_update(elements, *update, DRI_start, Updating::first_half, Updating::between);
    elements.updating = Updating::between;
}

void ArrayObject::wait_for_update() {
    Elements &elements = *elements_;
    if (is_alias() || elements.updating != Updating::between)
        fail(DRI_ERR_STATE, "no update of overlap of the array is under way");
    if (elements.update)
        run_update(elements, *elements.update, DRI_wait, Updating::between, Updating::no);
    elements.updating = Updating::no;
}

} // namespace dri::domain
