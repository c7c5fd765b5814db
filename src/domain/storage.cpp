// Shows arrays to other modules: their storage and their slices.
#include "domain/array_object.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// One box of dense indices without strides, or nothing.
std::optional<DRI_Box> one_box_of(const Holding &holding, size_t ndims) {
    DRI_Box box{};
    if (holding.owned() == 0)
        return box;
    if (holding.num_boxes() != 1)
        return std::nullopt;
    const Ranges dense = holding.box(0);
    for (size_t d = 0; d < ndims; ++d) {
        if (dense[d].size > 1 && dense[d].stride != 1)
            return std::nullopt;
        box.offset[d] = dense[d].first;
        box.size[d] = dense[d].size;
    }
    return box;
}

// An empty box stands behind the last one that is not empty.
void place_empty(std::vector<DRI_Box> &owned, size_t ndims) {
    int64_t end = 0;
    for (DRI_Box &box : owned) {
        const bool is_empty = std::any_of(box.size, box.size + ndims, [](int64_t n) { return n == 0; });
        if (is_empty)
            box.offset[0] = end;
        else
            end = box.offset[0] + box.size[0];
    }
}

// Overlap that all have that own anything.
void put_rims(outer::Storage &storage, const Space &space) {
    bool is_first = true;
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &holding = space.holding(q);
        if (holding.owned() == 0 || !holding.is_product())
            continue;
        for (size_t d = 0; d < space.ndims(); ++d) {
            const Rim &rim = holding.rims()[d];
            storage.left[d] = is_first ? rim.left : std::min(storage.left[d], rim.left);
            storage.right[d] = is_first ? rim.right : std::min(storage.right[d], rim.right);
            storage.left_edge[d] = rim.left_edge;
            storage.right_edge[d] = rim.right_edge;
        }
        is_first = false;
    }
}

// The rule, the type, and what decides where elements lie on each process. The rule of a user's map is its name,
// so the boxes say what it does. Without boxes it is like no other.
Digest form_of(const outer::Storage &storage, const ElementKind &kind, const Space &space) {
    Writer form;
    put(form, storage.rule);
    form.put(kind.is_predefined ? storage.type.id : 0).put(kind.size);
    form.put(storage.pitch).put(storage.alignment).put(static_cast<int8_t>(storage.is_callers));
    if (std::holds_alternative<UserMap>(space.map().sort())) {
        form.put(storage.has_boxes ? 0 : storage.id);
        for (const DRI_Box &box : storage.owned)
            form.put_all(std::span(box.offset)).put_all(std::span(box.size));
    }
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &holding = space.holding(q);
        form.put(static_cast<int8_t>(holding.is_product()));
        if (!holding.is_product())
            continue;
        for (const Rim &rim : holding.rims())
            form.put(rim.left)
                .put(rim.right)
                .put(static_cast<int>(rim.left_edge))
                .put(static_cast<int>(rim.right_edge));
    }
    return digest(form.take());
}

std::shared_ptr<const outer::Storage> storage_of(const Elements &elements) {
    const ArrayBody &body = elements.body();
    const Space &space = *body.space;
    auto made = std::make_shared<outer::Storage>();
    made->id = elements.storage_id();
    made->type = elements.kind().type.get();
    made->pitch = static_cast<int64_t>(elements.kind().pitch);
    made->alignment = static_cast<int64_t>(elements.kind().alignment);
    made->is_callers = elements.is_callers_everywhere;
    made->ranks = space.map().ranks();
    made->position = body.position;
    made->ndims = static_cast<int>(space.ndims());
    std::copy(space.sizes().begin(), space.sizes().end(), made->shape);
    Writer rule;
    put_space(rule, space);
    made->rule = digest(rule.take());
    made->has_boxes = true;
    for (int q = 0; q < space.map().num_positions() && made->has_boxes; ++q) {
        const auto box = one_box_of(space.holding(q), space.ndims());
        made->has_boxes = box.has_value();
        made->owned.push_back(box.value_or(DRI_Box{}));
    }
    place_empty(made->owned, space.ndims());
    made->form = form_of(*made, elements.kind(), space);
    put_rims(*made, space);
    if (body.position < 0)
        return made;
    const DRI_View &view = elements.first_view();
    made->data = static_cast<std::byte *>(view.data);
    std::copy(view.step, view.step + space.ndims(), made->steps);
    if (body.holding().owned() == 0)
        for (size_t d = space.ndims(); d-- > 0;)
            made->steps[d] =
                d + 1 == space.ndims() ? 1 : made->steps[d + 1] * std::max<int64_t>(made->shape[d + 1], 1);
    made->count = body.holding().owned();
    made->is_dense = body.holding().owned() == body.holding().held();
    if (!made->is_dense)
        return made;
    made->before = body.memory->before();
    made->behind = body.memory->behind();
    return made;
}

std::shared_ptr<ArrayObject> as_array(const std::shared_ptr<outer::AnyArray> &any) {
    auto found = std::dynamic_pointer_cast<ArrayObject>(any);
    if (!found)
        fail(DRI_ERR_ARG, "a piece is given where an array is needed");
    return found;
}

std::shared_ptr<ArrayObject> find_whole_array(DRI_Array array) {
    const auto any = outer::AnyArrays::table().get(array);
    const auto whole = any->whole();
    return as_array(whole ? whole : any);
}

} // namespace

std::vector<std::shared_ptr<const void>> ArrayObject::memory() const {
    require_current();
    if (elements_->is_callers_memory())
        return {};
    return {elements_->body().memory};
}

std::shared_ptr<const outer::Storage> ArrayObject::storage() const {
    require_current();
    if (!elements_->shown)
        elements_->shown = storage_of(*elements_);
    return elements_->shown;
}

outer::StorageSlice ArrayObject::slice(const DRI_Range ranges[], const std::string &what) const {
    const Ranges dense = densify(in_elements(ranges, what.c_str()), elements_->space().ranges());
    outer::StorageSlice found;
    std::copy(dense.begin(), dense.end(), found.ranges);
    for (size_t i = 0; ranges && i < kept_.size(); ++i) {
        // A single member keeps its stride: a kernel may look around it.
        const int64_t whole = elements_->space().ranges()[kept_[i]].stride;
        if (ranges[i].size == 1 && ranges[i].stride % whole == 0)
            found.ranges[kept_[i]].stride = ranges[i].stride / whole;
    }
    found.ndims = static_cast<int>(kept_.size());
    for (size_t i = 0; i < kept_.size(); ++i)
        found.kept[i] = static_cast<int>(kept_[i]);
    return found;
}

outer::StorageSlice ArrayObject::slice_beyond(const DRI_Range ranges[], const std::string &what) const {
    require_current();
    const Ranges &whole = elements_->space().ranges();
    bool continues = !is_alias() && ranges;
    bool is_beyond = false;
    for (size_t d = 0; continues && d < whole.size(); ++d) {
        const DRI_Range &r = ranges[d];
        continues = math::is_range(r) && (r.first - whole[d].first) % whole[d].stride == 0 &&
                    r.stride % whole[d].stride == 0;
        is_beyond = is_beyond || (continues && !math::densified(r, whole[d]));
    }
    if (!continues || !is_beyond)
        return slice(ranges, what);
    outer::StorageSlice found;
    found.ndims = static_cast<int>(whole.size());
    for (size_t d = 0; d < whole.size(); ++d) {
        found.ranges[d] = {(ranges[d].first - whole[d].first) / whole[d].stride,
                           ranges[d].stride / whole[d].stride, ranges[d].size};
        found.kept[d] = static_cast<int>(d);
    }
    return found;
}

std::shared_ptr<ArrayObject> get_array(DRI_Array array) { return as_array(outer::AnyArrays::get(array)); }

std::shared_ptr<ArrayObject> get_whole_array(DRI_Array array) {
    outer::require_library();
    return find_whole_array(array);
}

ArrayPair get_whole_arrays(DRI_Array dst, DRI_Array src) {
    outer::require_library();
    auto target = find_whole_array(dst);
    return {std::move(target), find_whole_array(src)};
}

} // namespace dri::domain
