// Parts of pieces: what a slice has of them, and updates of their halos.
#include "array/piece.hpp"

#include "array/pure.hpp"

#include <dri/gdo.h>

#include <algorithm>

namespace dri::array {

ElementBytes element_bytes(DRI_Type type) {
    size_t pitch = 0, alignment = 0;
    outer::require(DRI_type_get_pitch(type, &pitch));
    outer::require(DRI_type_get_size(type, nullptr, &alignment));
    return {static_cast<int64_t>(pitch), static_cast<int64_t>(alignment)};
}

std::shared_ptr<const outer::OwnedType> own_type(DRI_Type type) {
    outer::OwnedGdo one;
    const int64_t size = 1;
    outer::require(DRI_gdo_create(1, type, &size, one.out()));
    auto made = std::make_shared<outer::OwnedType>();
    outer::require(DRI_gdo_get_type(one.get(), made->out()));
    return made;
}

DRI_Box HeldParts::window() const {
    DRI_Box box = parts[1].positions;
    for (const PiecePart *part : {&parts[0], &parts[2]})
        if (ndims > 0)
            box = hull_of(box, part->positions, ndims);
    return box;
}

void require_host(const std::string &device) {
    if (device != "host")
        fail(DRI_ERR_UNSUPPORTED, "the elements are on the device '{}'", device);
}

void ArrayPiece::set_halos(std::shared_ptr<Halos> halos, std::shared_ptr<const outer::AnyArray> of) {
    halos_ = std::move(halos);
    of_ = std::move(of);
    storage_id_ = of_->storage()->id;
}

void ArrayPiece::require_current() const {
    if (origin_)
        origin_->require_current();
    if (of_ && of_->storage()->id != storage_id_)
        fail(DRI_ERR_STATE, "the piece is stale: its array has got another domain");
}

// With the numbers of Dist's environment attribute. An empty part has size 0 along all dimensions.
std::string ArrayPiece::describe() const {
    const HeldParts &h = holding_;
    const std::string text = fmt::format("piece of elements of {} bytes on {}", h.pitch, h.device);
    if (h.ndims == 0)
        return text;
    std::string loffs, parts;
    for (int d = 0; d < h.ndims; ++d)
        loffs += fmt::format("{}{}", d ? "," : "", h.start.offset[d]);
    for (size_t i = 0; i < h.parts.size(); ++i) {
        const DRI_Box &box = h.parts[i].positions;
        const bool has = !is_empty(box, h.ndims);
        for (int d = 0; d < h.ndims; ++d)
            parts += fmt::format("{}{}", d ? "x" : i ? "," : "", has ? box.size[d] : 0);
    }
    return fmt::format("{}\nloffs = {} lparts = {}", text, loffs, parts);
}

// One that has timed out goes on.
void ArrayPiece::update_overlap() {
    if (!updating_ || !whole_)
        start_update();
    whole_ = true;
    wait_for_update();
}

void ArrayPiece::start_update() {
    require_current();
    if (updating_)
        fail(DRI_ERR_STATE, "an update of the halos of the piece is under way");
    const auto halos = ready_halos();
    if (halos)
        halos->start();
    updated_ = halos;
    updating_ = true;
    whole_ = false;
}

void ArrayPiece::wait_for_update() {
    if (!updating_)
        fail(DRI_ERR_STATE, "no update of the halos of the piece is under way");
    try {
        if (updated_)
            updated_->wait();
    } catch (const outer::AlreadyReported &failed) {
        updating_ = failed.code == DRI_ERR_TIMEOUT;
        throw;
    } catch (...) {
        updating_ = false;
        throw;
    }
    updating_ = false;
}

std::vector<std::shared_ptr<const void>> ArrayPiece::memory() const {
    require_current();
    auto found = origin_ ? origin_->memory() : of_ ? of_->memory() : std::vector<std::shared_ptr<const void>>{};
    if (halos_ && halos_->memory())
        found.push_back(halos_->memory());
    return found;
}

std::shared_ptr<outer::AnyArray> ArrayPiece::whole() {
    fail(DRI_ERR_ARG, "a piece is given where an array is needed");
}

std::shared_ptr<const outer::Storage> ArrayPiece::storage() const {
    fail(DRI_ERR_ARG, "a piece is given where an array is needed");
}

outer::StorageSlice ArrayPiece::slice(const DRI_Range[], const std::string &what) const {
    fail(DRI_ERR_ARG, "{}: a piece is given where an array is needed", what);
}

namespace {

// Without the type, and without what must stay.
HeldParts places_in(const outer::AnyArray &array) {
    const auto storage = array.storage();
    const outer::StorageSlice slice = array.slice(nullptr, "array");
    if (!storage->has_boxes)
        fail(DRI_ERR_UNSUPPORTED, "a process has several boxes of the array, use DRI_assign");
    HeldParts made;
    made.pitch = storage->pitch;
    made.ndims = slice.ndims;
    PiecePart &own = made.parts[1];
    const DRI_Box nothing{};
    const DRI_Box &box = storage->position < 0 ? nothing : storage->owned[static_cast<size_t>(storage->position)];
    DRI_Box target = target_of(storage->ndims, box, slice.ranges);
    if (is_empty(target, storage->ndims))
        target.size[slice.kept[0]] = 0;
    own.data = storage->data;
    for (int k = 0; k < storage->ndims; ++k)
        if (own.data)
            own.data += (slice.ranges[k].first + target.offset[k] * slice.ranges[k].stride - box.offset[k]) *
                        storage->steps[k] * storage->pitch;
    for (int d = 0; d < slice.ndims; ++d) {
        const int k = slice.kept[d];
        if (slice.ranges[k].stride < 1)
            fail(DRI_ERR_UNSUPPORTED, "dimension {} of the array counts backwards, use DRI_assign", d);
        made.shape[d] = slice.ranges[k].size;
        made.elements[d] = slice.ranges[k];
        own.positions.offset[d] = target.offset[k];
        own.positions.size[d] = target.size[k];
        own.steps[d] = slice.ranges[k].stride * storage->steps[k];
    }
    for (const size_t i : {size_t{0}, size_t{2}}) {
        made.parts[i] = own;
        made.parts[i].positions.size[0] = 0;
    }
    made.parts[2].positions.offset[0] += own.positions.size[0];
    made.start = own.positions;
    return made;
}

} // namespace

HeldParts holding_of(const std::shared_ptr<outer::AnyArray> &array) {
    if (const auto *piece = dynamic_cast<const ArrayPiece *>(array.get())) {
        piece->require_current();
        HeldParts found = piece->holding();
        found.memory.push_back(array);
        return found;
    }
    HeldParts found = places_in(*array);
    const auto storage = array->storage();
    found.type = own_type(storage->type);
    found.memory = {storage, array};
    return found;
}

const HeldParts &places_of(const outer::AnyArray &array, HeldParts &room) {
    if (const auto *piece = dynamic_cast<const ArrayPiece *>(&array)) {
        piece->require_current();
        return piece->holding();
    }
    room = places_in(array);
    return room;
}

void positions_of(const outer::AnyArray &array, const DRI_Range slice[], DRI_Range positions[]) {
    const outer::StorageSlice all = array.slice(nullptr, "array"), some = array.slice(slice, "slice");
    for (int d = 0; d < all.ndims; ++d) {
        const DRI_Range &whole = all.ranges[all.kept[d]], &part = some.ranges[some.kept[d]];
        positions[d] = {part.size ? (part.first - whole.first) / whole.stride : 0,
                        part.size > 1 ? part.stride / whole.stride : 1, part.size};
        if (positions[d].stride < 1)
            fail(DRI_ERR_ARG, "slice, dimension {}: it counts backwards in the array's order", d);
    }
}

HeldParts subview_of(const HeldParts &whole, const DRI_Range slice[], const DRI_Box *target) {
    HeldParts made = whole;
    const int n = whole.ndims;
    DRI_Box everything{};
    for (int d = 0; d < n; ++d) {
        if (slice[d].size > 0 &&
            (slice[d].first < 0 || slice[d].first + (slice[d].size - 1) * slice[d].stride >= whole.shape[d]))
            fail(DRI_ERR_ARG, "slice, dimension {}: {} elements from {} by {} leave the {} of the array", d,
                 slice[d].size, slice[d].first, slice[d].stride, whole.shape[d]);
        const DRI_Range &e = whole.elements[d];
        made.shape[d] = everything.size[d] = slice[d].size;
        made.elements[d] = {e.first + slice[d].first * e.stride, e.stride * slice[d].stride, slice[d].size};
    }
    const DRI_Box &wanted = target ? *target : everything;
    bool holds_any = false;
    for (PiecePart &part : made.parts) {
        const DRI_Box held = part.positions;
        part.positions = common_of(target_of(n, held, slice), wanted, n);
        const bool has = !is_empty(part.positions, n) && !is_empty(held, n);
        for (int d = 0; d < n; ++d) {
            if (has)
                part.data += (slice[d].first + part.positions.offset[d] * slice[d].stride - held.offset[d]) *
                             part.steps[d] * made.pitch;
            part.steps[d] *= slice[d].stride;
        }
        if (has && !holds_any)
            made.start = part.positions;
        if (!has && n > 0)
            part.positions.size[0] = 0;
        holds_any = holds_any || has;
    }
    if (!holds_any && n > 0)
        made.start = target ? *target : made.parts[0].positions;
    return made;
}

} // namespace dri::array
