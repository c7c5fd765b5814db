// Checks what the user describes, and makes arrays over domains of it.
#include "array/init.hpp"

#include "array/call_check.hpp"
#include "array/exchange.hpp"
#include "array/pure.hpp"
#include "base/checked.hpp"
#include "outer/agree.hpp"

#include <dri/env.h>

#include <algorithm>

namespace dri::array {

namespace {

const char *const part_names[] = {"part 0", "part 1", "part 2"};

// Row-major without gaps.
bool is_packed(const PiecePart &part, int ndims) {
    int64_t step = 1;
    for (int d = ndims; d-- > 0; step *= part.positions.size[d])
        if (part.positions.size[d] > 1 && part.steps[d] != step)
            return false;
    return true;
}

void require_address(const DRI_View &view, const char *name, int64_t alignment) {
    if (!view.data)
        fail(DRI_ERR_ARG, "{}: data is NULL", name);
    if (reinterpret_cast<uintptr_t>(view.data) % static_cast<uintptr_t>(alignment) != 0)
        fail(DRI_ERR_ARG, "{}: data is not aligned to {} bytes", name, alignment);
}

// Halos in the caller's memory.
class ExchangedHalos final : public Halos {
public:
    ExchangedHalos(std::shared_ptr<ElementExchange> exchange, std::vector<int> ranks)
        : exchange_(std::move(exchange)), ranks_(std::move(ranks)) {}
    void start() override {
        if (compares_calls())
            compare_calls(ranks_, digest_of_name(exchange_->name()), "DRI_array_update_overlap");
        exchange_->start(exchange_->timeout_ms);
    }
    void wait() override { exchange_->wait(exchange_->timeout_ms); }

private:
    std::shared_ptr<ElementExchange> exchange_;
    std::vector<int> ranks_;
};

} // namespace

HeldParts checked_parts(DRI_Gdo gdo, const int64_t loffs[], int nparts, const DRI_View parts[]) {
    HeldParts made;
    DRI_Type type{};
    outer::require(DRI_gdo_get_sizes(gdo, &made.ndims, made.shape));
    outer::require(DRI_gdo_get_type(gdo, &type));
    made.type = own_type(type);
    outer::OwnedType given; // the handle of a record is this call's own
    *given.out() = type;
    const ElementBytes bytes = element_bytes(type);
    made.pitch = bytes.pitch;
    const int n = made.ndims;
    outer::require_pointer(parts, "parts");
    if (n > 0)
        outer::require_pointer(loffs, "loffs");
    if (nparts != (n ? 3 : 1))
        fail(DRI_ERR_ARG, "nparts is {}, but an array of {} dimensions has {}", nparts, n, n ? 3 : 1);
    if (n == 0) {
        require_address(parts[0], part_names[0], bytes.alignment);
        made.parts[1].data = static_cast<std::byte *>(parts[0].data);
        return made;
    }
    int64_t row = loffs[0];
    std::optional<size_t> first;
    for (size_t i = 0; i < 3; ++i) {
        DRI_Box &box = made.parts[i].positions;
        if (parts[i].ndims != n)
            fail(DRI_ERR_ARG, "{} has {} dimensions, but the array has {}", part_names[i], parts[i].ndims, n);
        for (int d = 0; d < n; ++d) {
            box.offset[d] = d ? loffs[d] : row;
            box.size[d] = parts[i].range[d].size;
            made.parts[i].steps[d] = parts[i].step[d];
            if (box.size[d] < 0)
                fail(DRI_ERR_ARG, "{}, dimension {}: the size is {}", part_names[i], d, box.size[d]);
        }
        if (is_empty(box, n)) {
            box.size[0] = 0;
            continue;
        }
        for (int d = 0; d < n; ++d) {
            if (box.offset[d] < 0 || checked_add(box.offset[d], box.size[d]) > made.shape[d])
                fail(DRI_ERR_ARG, "{}, dimension {}: [{},{}) leaves the array of {}", part_names[i], d,
                     box.offset[d], box.offset[d] + box.size[d], made.shape[d]);
            if (d && first && made.parts[*first].positions.size[d] != box.size[d])
                fail(DRI_ERR_ARG, "{}, dimension {}: the size is {}, but that of {} is {}", part_names[i], d,
                     box.size[d], part_names[*first], made.parts[*first].positions.size[d]);
            if (box.size[d] > 1 && parts[i].step[d] < 1)
                fail(DRI_ERR_ARG, "{}, dimension {}: the step is {}, but must be 1 or more", part_names[i], d,
                     parts[i].step[d]);
            if (made.parts[i].steps[d] < 1) // of one element, so no step is taken
                made.parts[i].steps[d] = 1;
        }
        require_address(parts[i], part_names[i], bytes.alignment);
        made.parts[i].data = static_cast<std::byte *>(parts[i].data);
        first = first.value_or(i);
        row += box.size[0];
    }
    for (int d = 0; d < n; ++d) {
        if (loffs[d] < 0 || loffs[d] > made.shape[d])
            fail(DRI_ERR_ARG, "loffs, dimension {}: {} is outside the array of {}", d, loffs[d], made.shape[d]);
        made.elements[d] = {0, 1, made.shape[d]};
        made.start.offset[d] = loffs[d];
    }
    return made;
}

InitArray::~InitArray() {
    if (single_)
        outer::storage_ends(single_->id);
}

std::shared_ptr<outer::AnyArray> InitArray::whole() {
    if (holding_.ndims == 0 || whole_)
        require_host(holding_.device);
    if (holding_.ndims == 0)
        return nullptr;
    if (whole_)
        return whole_;
    const int n = holding_.ndims;
    const PiecePart &own = holding_.parts[1];
    const bool has_elements = !is_empty(own.positions, n);
    outer::OwnedGroup group;
    outer::require(DRI_group_create(static_cast<int>(ranks_.size()), ranks_.data(), group.out()));
    Writer key;
    key.put(n).put(holding_.pitch);
    for (int d = 0; d < n; ++d)
        key.put(holding_.shape[d]);
    outer::OwnedGdo gdo;
    outer::OwnedPart part;
    outer::agree({group.get(), ranks_}, digest(key.take()), "the shape or the type of an array", [&] {
        require_host(holding_.device);
        if (has_elements && !is_packed(own, n))
            fail(DRI_ERR_UNSUPPORTED, "the owned part of DRI_array_init has gaps between its rows");
        outer::require(DRI_gdo_create(n, type(), holding_.shape, gdo.out()));
        DRI_Part_tuple tuples[DRI_MAX_DIMS]{};
        for (int d = 0; has_elements && d < n; ++d)
            tuples[d] = {0, own.positions.offset[d], own.positions.offset[d] + own.positions.size[d], 0};
        outer::require(DRI_part_create(n, tuples, part.out()));
    });
    outer::OwnedDist dist;
    outer::require(DRI_dist_create(gdo.get(), part.get(), group.get(), dist.out()));
    outer::OwnedHandle<DRI_Map, DRI_map_destroy> map;
    outer::require(DRI_map_create_dist(dist.get(), map.out()));
    outer::OwnedHandle<DRI_Domain, DRI_domain_destroy> domain;
    outer::require(DRI_domain_create(map.get(), DRI_RECTANGULAR, holding_.elements, domain.out()));
    outer::OwnedHandle<DRI_Array, DRI_array_destroy> array;
    alignas(64) static std::byte nowhere[64]; // of a process that owns nothing
    outer::require(
        DRI_array_create(domain.get(), type(), own.data ? static_cast<void *>(own.data) : nowhere, array.out()));
    whole_ = outer::AnyArrays::get(array.get());
    whole_->set_callers();
    return whole_;
}

std::shared_ptr<const outer::Storage> InitArray::storage() const {
    if (holding_.ndims > 0)
        return ArrayPiece::storage();
    if (!single_) {
        int rank = 0;
        outer::require(DRI_world_rank(&rank));
        auto made = std::make_shared<outer::Storage>();
        made->id = outer::next_storage();
        made->type = type();
        made->pitch = holding_.pitch;
        made->ranks = ranks_;
        made->position = static_cast<int>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
        made->has_boxes = true;
        made->owned.resize(ranks_.size());
        made->data = holding_.parts[1].data;
        made->form.low = static_cast<uint64_t>(holding_.pitch); // of no array with dimensions
        made->count = 1;
        single_ = made;
    }
    return single_;
}

outer::StorageSlice InitArray::slice(const DRI_Range ranges[], const std::string &what) const {
    return holding_.ndims > 0 ? ArrayPiece::slice(ranges, what) : outer::StorageSlice{};
}

std::shared_ptr<Halos> InitArray::ready_halos() {
    require_host(holding_.device);
    if (has_halos_ || holding_.ndims == 0)
        return halos_;
    const PiecePart &left = holding_.parts[0], &right = holding_.parts[2];
    const auto exchange =
        make_exchange(*whole()->storage(), "DRI_array_update_overlap",
                      {{left.positions, left.data, left.steps}, {right.positions, right.data, right.steps}},
                      timeout_ms(), Rebinds::none);
    if (exchange)
        halos_ = std::make_shared<ExchangedHalos>(exchange, ranks_);
    has_halos_ = true;
    return halos_;
}

} // namespace dri::array
