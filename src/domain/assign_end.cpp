// Makes the endpoints of assignments.
#include "domain/assign_end.hpp"

#include "outer/calls.hpp"

#include <dri/xfer.h>

#include <algorithm>

namespace dri::domain {

namespace {

using outer::require;

// A slice of a user's domain that is a grid lies in memory as one only if the
// whole domain does.
DenseForm form_of_slice(const Space &whole, const Space &slice) {
    const DenseForm form = dense_form(slice);
    const bool is_users = std::holds_alternative<UserMap>(whole.map().sort());
    return is_users && form == DenseForm::grid && !whole.user_holdings().is_grid ? DenseForm::flat : form;
}

} // namespace

AssignEnd::AssignEnd(const AssignSide &side, DRI_Role role)
    : side_(side), role_(role), position_(side.elements->body().position),
      slice_(std::make_shared<const Space>(side.elements->body().space, side.ranges)),
      form_(form_of_slice(side.elements->space(), *slice_)) {}

void AssignEnd::choose(bool flat) { choice_ = squeezed_choice(*slice_, flat ? DenseForm::flat : form_); }

bool AssignEnd::is_known() const {
    if (choice_.form == DenseForm::flat || !is_closed(*slice_, choice_))
        return false;
    const Ranges dense = densify(side_.ranges, side_.elements->space().ranges());
    return std::all_of(dense.begin(), dense.end(), [](const DRI_Range &r) { return r.size < 2 || r.stride > 0; });
}

bool AssignEnd::can_list() const {
    const auto *user = std::get_if<UserMap>(&slice_->map().sort());
    return !user || user->has_local();
}

void AssignEnd::prepare(bool always_pack) {
    if (position_ < 0)
        return;
    const bool as_list = choice_.form == DenseForm::flat;
    packing_ = packing_of(side_.elements->space(), *slice_, position_, as_list);
    if (!always_pack && !as_list && !packing_.empty())
        even_ = even_nest(packing_, slice_->ndims());
}

void AssignEnd::make_dist() {
    if (position_ >= 0)
        dist_ = make_dense_dist(*slice_, side_.elements->kind().type.get(), position_, choice_);
}

outer::OwnedXfer AssignEnd::make_end(const std::string &name, bool converts) {
    outer::OwnedXfer end;
    if (!dist_.get().id)
        return end;
    outer::OwnedLayout strided;
    void *buffer = nullptr;
    if (is_direct()) {
        Dims steps;
        for (const size_t d : choice_.dims)
            steps.push_back(even_->steps[d]);
        require(DRI_layout_create(static_cast<int>(steps.size()), steps.data(), strided.out()));
        buffer = side_.elements->body().memory->data() +
                 even_->first * static_cast<int64_t>(side_.elements->kind().pitch);
    }
    const DRI_Layout layout = is_direct() ? strided.get() : DRI_ROW_MAJOR;
    require(DRI_xfer_create(name.c_str(), role_, dist_.get(), layout, 1, &buffer, end.out()));
    apply(side_.elements->settings(), end.get());
    if (converts && role_ == DRI_SINK)
        require(DRI_xfer_set_attr(end.get(), DRI_ATTR_CONVERT, 1));
    return end;
}

} // namespace dri::domain
