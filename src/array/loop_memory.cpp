// Finds where the operands of a loop lie, and whether its result must be computed apart from them.
#include "array/loop_plan.hpp"

#include "outer/storage.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace dri::array {

namespace {

// Of plain memory the library does not know how large an element is.
constexpr int64_t most_bytes_of_plain = 16;

struct Extent {
    const std::byte *begin = nullptr, *end = nullptr;
    bool meets(const Extent &other) const { return begin < other.end && other.begin < end; }
};

// From the first to the last byte of the positions of a box, and of those around that are read.
Extent extent_of(const OperandPlace &place, const DRI_Box &box, int ndims, int64_t pitch) {
    Extent made{place.data, place.data + pitch};
    for (int d = 0; d < ndims; ++d) {
        const int64_t first = (box.offset[d] - place.left[d]) * place.steps[d],
                      last = (box.offset[d] + box.size[d] - 1 + place.right[d]) * place.steps[d];
        made.begin += std::min(first, last);
        made.end += std::max(first, last);
    }
    return made;
}

Extent owned_extent(const outer::Storage &s) {
    const DRI_Box &own = s.owned[static_cast<size_t>(s.position)];
    if (is_empty(own, s.ndims))
        return {};
    Extent made{s.data, s.data + s.pitch};
    for (int k = 0; k < s.ndims; ++k) {
        const int64_t last = (own.size[k] - 1) * s.steps[k] * s.pitch;
        (last < 0 ? made.begin : made.end) += last;
    }
    return made;
}

// Whether no element of one is an element of the other, as with fields of one record.
bool interleave(const OperandPlace &a, int64_t bytes_of_a, const OperandPlace &b, int64_t bytes_of_b, int ndims) {
    int64_t unit = 0;
    for (int d = 0; d < ndims; ++d)
        unit = std::gcd(unit, std::gcd(a.steps[d], b.steps[d]));
    if (unit == 0)
        return false;
    const int64_t apart = ((b.data - a.data) % unit + unit) % unit;
    return apart >= bytes_of_a && apart + bytes_of_b <= unit;
}

// Element by element a result may lie where an operand lies.
bool is_in_place(const OperandPlace &read, const OperandPlace &to, const DRI_Box &box, int ndims) {
    const std::byte *data = read.data;
    for (int d = 0; d < ndims; ++d) {
        if (read.left[d] || read.right[d] || (box.size[d] > 1 && read.steps[d] != to.steps[d]))
            return false;
        data += box.offset[d] * (read.steps[d] - to.steps[d]);
    }
    return data == to.data;
}

// Whether elements of the target may be written before they are read.
bool meets(const OperandPlace &to, int64_t pitch, const OperandPlace &read, int64_t bytes, const DRI_Box &box,
           int ndims) {
    return extent_of(to, box, ndims, pitch).meets(extent_of(read, box, ndims, bytes)) &&
           !is_in_place(read, to, box, ndims) && !interleave(to, pitch, read, bytes, ndims);
}

} // namespace

void LoopPlan::find_addresses(const BoundStorages &to) {
    const bool writes = has_target_ && !is_empty(boxes_.target, ndims_);
    OperandPlace &result = temporary_.result;
    temporary_.serves_arrays = temporary_.is_planned;
    if (has_target_)
        result.data = to.storages[0]->data + result.offset;
    for (size_t i = 1; i < core_.size(); ++i) {
        if (!to.storages[i])
            continue;
        const outer::Storage &s = *to.storages[i];
        const ReadWindow *const window =
            window_of_[i] < 0 ? nullptr : windows_[static_cast<size_t>(window_of_[i])].get();
        core_[i].data = s.data + core_[i].offset;
        edge_[i].data = (window ? window->origin() : s.data) + edge_[i].offset;
        if (!writes || to.ids[i] == to.ids[0])
            continue;
        const bool is_sent = window && window->kind() != WindowKind::none; // others read it meanwhile
        temporary_.serves_arrays =
            temporary_.serves_arrays || meets(result, pitch_, edge_[i], s.pitch, boxes_.target, ndims_) ||
            (is_sent && owned_extent(s).meets(extent_of(result, boxes_.target, ndims_, pitch_)));
    }
    core_[0].data = nullptr;
    static_cast<void>(place_result({}, false));
    binding_.ids = to.ids;
    static std::atomic<uint64_t> turns = 0;
    binding_.turn.publish(++turns);
}

// The result is computed in the temporary, and stored behind the last read; or it is computed where it belongs.
// Only a run makes memory. Other processes do not know whether this one needs any, so they are not told if there
// is none: then it returns false.
bool LoopPlan::place_result(Operands operands, bool runs) {
    if (!has_target_)
        return true;
    bool is_apart = temporary_.serves_arrays;
    for (size_t i = 1; i < operands.size() && !is_apart; ++i)
        if (operands[i].data && !is_empty(boxes_.target, ndims_)) {
            OperandPlace plain = edge_[i];
            plain.data = const_cast<std::byte *>(static_cast<const std::byte *>(operands[i].data));
            is_apart = meets(temporary_.result, pitch_, plain, std::max(pitch_, most_bytes_of_plain),
                             boxes_.target, ndims_);
        }
    if (core_[0].data && is_apart == (temporary_.bytes > 0))
        return true;
    OperandPlace place = temporary_.result;
    temporary_.bytes = is_apart ? volume_of(boxes_.target, ndims_) * pitch_ : 0;
    if (temporary_.bytes > 0) {
        try {
            if (runs && temporary_.memory.bytes() == 0)
                temporary_.memory = AlignedBuffer(temporary_.bytes);
        } catch (const Error &) {
            core_[0].data = nullptr;
            return false;
        }
        place = {};
        int64_t step = pitch_;
        for (int d = ndims_; d-- > 0; step *= std::max<int64_t>(boxes_.target.size[d], 1))
            place.steps[d] = step;
        for (int d = 0; d < ndims_; ++d)
            place.offset -= boxes_.target.offset[d] * place.steps[d];
        if (temporary_.memory.bytes() > 0)
            place.data = temporary_.memory.data() + place.offset;
    }
    core_[0] = edge_[0] = place;
    return true;
}

} // namespace dri::array
