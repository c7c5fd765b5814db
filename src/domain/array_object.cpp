// Finds elements of arrays and aliases.
#include "domain/array_object.hpp"

#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

std::vector<size_t> all_dims(size_t n) {
    std::vector<size_t> dims;
    for (size_t d = 0; d < n; ++d)
        dims.push_back(d);
    return dims;
}

std::shared_ptr<const Space> slice_of(const ArrayObject &of, const DRI_Range ranges[]) {
    of.require_current();
    return std::make_shared<const Space>(of.elements()->body().space, of.in_elements(ranges, "ranges"));
}

} // namespace

ArrayObject::ArrayObject(std::shared_ptr<Elements> elements)
    : elements_(std::move(elements)), domain_(elements_->domain()), kept_(all_dims(elements_->space().ndims())) {}

ArrayObject::ArrayObject(const ArrayObject &of, const DRI_Range ranges[], unsigned dropped)
    : elements_(of.elements_), slice_(slice_of(of, ranges)), generation_(elements_->generation()) {
    for (size_t i = 0; i < of.kept_.size(); ++i) {
        const size_t d = of.kept_[i];
        if (!(dropped >> i & 1)) {
            kept_.push_back(d);
            continue;
        }
        if (slice_->ranges()[d].size != 1)
            fail(DRI_ERR_ARG, "dimension {} is dropped, but has {} members instead of 1", i,
                 slice_->ranges()[d].size);
    }
    if (of.kept_.size() < 32 && dropped >> of.kept_.size())
        fail(DRI_ERR_ARG, "dropped is {}, but the array has {} dimensions", dropped, of.kept_.size());
    if (kept_.empty())
        fail(DRI_ERR_ARG, "dropped is {}, but one dimension must stay", dropped);
    domain_ = std::make_shared<DomainObject>(
        kept_.size() == slice_->ndims() ? slice_ : without_dimensions(slice_, kept_), DomainObject::Use::of_alias);
    first_view_ = elements_->body().position >= 0 ? view_of_box(0) : view_of_none();
}

void ArrayObject::require_current() const {
    if (is_alias() && generation_ != elements_->generation())
        fail(DRI_ERR_STATE, "the alias is stale: its array has got another domain");
}

Ranges ArrayObject::in_elements(const DRI_Range ranges[], const char *what) const {
    require_current();
    const Ranges &base = is_alias() ? slice_->ranges() : elements_->space().ranges();
    Ranges found = base;
    if (!ranges)
        return found;
    const Ranges given = checked_ranges(ranges, static_cast<int>(kept_.size()), what);
    for (size_t i = 0; i < kept_.size(); ++i) {
        const size_t d = kept_[i];
        if (!math::densified(given[i], base[d]))
            fail(DRI_ERR_ARG, "{}, dimension {}: the range {} is not inside {}", what, i, text_of(given[i]),
                 text_of(base[d]));
        found[d] = given[i];
    }
    return found;
}

std::byte *ArrayObject::at(const int64_t index[]) const {
    require_current();
    const auto space = domain_->space();
    static_cast<void>(space->checked_dense(index));
    const Dims whole = whole_index(is_alias() ? slice_->ranges() : elements_->space().ranges(), kept_, index);
    const ArrayBody &body = elements_->body();
    const int64_t place =
        body.position < 0 ? -1 : body.holding().own_place(body.space->checked_dense(whole.begin()));
    if (place < 0) {
        fail(DRI_ERR_ARG, "{} belongs to process {}", text_of_index({index, kept_.size()}),
             body.space->map().owner_rank(whole.begin()));
    }
    return body.memory->data() + place * static_cast<int64_t>(elements_->kind().pitch);
}

DRI_View ArrayObject::view_of_none() const {
    DRI_View none = empty_view(*elements_);
    show_kept(none);
    return none;
}

void ArrayObject::show_kept(DRI_View &view) const {
    const DRI_View full = view;
    view.ndims = static_cast<int64_t>(kept_.size());
    for (size_t i = 0; i < max_dims; ++i) {
        const bool is_there = i < kept_.size();
        const size_t d = is_there ? kept_[i] : 0;
        view.range[i] = is_there ? full.range[d] : DRI_Range{};
        view.step[i] = is_there ? full.step[d] : 0;
        view.left[i] = is_there ? full.left[d] : 0;
        view.right[i] = is_there ? full.right[d] : 0;
    }
}

DRI_View ArrayObject::view_of_box(int64_t box) const {
    const ArrayBody &body = elements_->body();
    const Space &shown = is_alias() ? *slice_ : *body.space;
    const Holding &own = shown.holding(body.position);
    if (box < 0 || box >= std::max<int64_t>(own.num_boxes(), 1))
        fail(DRI_ERR_ARG, "box is {}, but the process has {}", box, own.num_boxes());
    if (own.owned() == 0)
        return view_of_none();
    const Ranges ranges = undensify(own.box(box), shown.ranges());
    DRI_View view = view_of(*elements_, densify(ranges, body.space->ranges()), ranges, !is_alias());
    view.boxes = own.num_boxes();
    show_kept(view);
    return view;
}

const DRI_View *ArrayObject::view(int64_t box) const {
    require_current();
    if (elements_->body().position < 0 && box != 0)
        fail(DRI_ERR_ARG, "box is {}, but the process has 0", box);
    if (box == 0)
        return is_alias() ? &first_view_ : &elements_->first_view();
    thread_local DRI_View other;
    other = view_of_box(box);
    return &other;
}

std::string ArrayObject::describe() const {
    require_current();
    const ArraySettings &s = elements_->settings();
    const ElementKind &kind = elements_->kind();
    return fmt::format("{} of elements of {} bytes, {} memory, bulk {}, plans {}, threads "
                       "{}\n{}",
                       is_alias() ? "alias" : "array", kind.size,
                       elements_->is_callers_memory() ? "the caller's" : "the library's", s.bulk ? 1 : 0, s.plans,
                       s.threads, domain_->space()->describe());
}

} // namespace dri::domain
