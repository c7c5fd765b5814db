// Checks operands, aligns their dimensions as numpy does, and finds what processes compute and read.
#include "array/statement.hpp"

#include "array/init.hpp"
#include "array/pure.hpp"
#include "array/window.hpp"
#include "base/checked.hpp"

#include <algorithm>

namespace dri::array {

namespace {

constexpr int most_reads = 32;

bool covers_storage(const outer::Storage &s, const outer::StorageSlice &slice) {
    for (int k = 0; k < s.ndims; ++k)
        if (slice.ranges[k].size != s.shape[k] ||
            (s.shape[k] > 0 && (slice.ranges[k].first != 0 || (s.shape[k] > 1 && slice.ranges[k].stride != 1))))
            return false;
    return slice.ndims == s.ndims;
}

void put_ranges(Writer &out, const StatementOperand &one) {
    for (int k = 0; k < one.storage->ndims; ++k)
        out.put(one.loop_dim[k])
            .put(one.ranges[k].first)
            .put(one.ranges[k].stride)
            .put(one.ranges[k].size)
            .put(one.left[k])
            .put(one.right[k]);
}

} // namespace

std::string operand_name(size_t i) { return i == 0 ? "the target" : fmt::format("read {}", i - 1); }

void Statement::add(const DRI_Operand *given, size_t i) {
    StatementOperand made;
    if (!given || (i == 0 && !given->array.id)) {
        operands_.push_back(std::move(made));
        return;
    }
    if (!given->array.id) {
        outer::require_pointer(given->data, fmt::format("{}: data", operand_name(i)).c_str());
        made.data = given->data;
        for (int d = 0; d < DRI_MAX_DIMS; ++d) {
            made.sizes[d] = given->slice[d].size;
            made.steps[d] = given->steps[d];
        }
        operands_.push_back(std::move(made));
        return;
    }
    made.array = outer::AnyArrays::get(given->array);
    if (auto whole = made.array->whole())
        made.array = std::move(whole);
    made.storage = made.array->storage();
    const outer::StorageSlice slice = i == 0 ? made.array->slice(given->slice, operand_name(i))
                                             : made.array->slice_beyond(given->slice, operand_name(i));
    made.ndims = slice.ndims;
    std::copy(slice.ranges, slice.ranges + DRI_MAX_DIMS, made.ranges);
    std::fill(made.loop_dim, made.loop_dim + DRI_MAX_DIMS, -1);
    bool has_reach = false;
    for (int j = 0; j < slice.ndims; ++j) {
        const int k = slice.kept[j];
        made.sizes[j] = slice.ranges[k].size;
        made.loop_dim[k] = j; // of the operand, until the shape is known
        made.left[k] = given->left[j];
        made.right[k] = given->right[j];
        has_reach = has_reach || given->left[j] != 0 || given->right[j] != 0;
        if (slice.ranges[k].stride < 1)
            fail(DRI_ERR_ARG, "{}, dimension {}: the stride is {} in the array's order, but must be 1 or more",
                 operand_name(i), j, slice.ranges[k].stride);
        if (given->left[j] < 0 || given->right[j] < 0 || (i == 0 && has_reach))
            fail(DRI_ERR_ARG, "{}, dimension {}: left is {} and right {}", operand_name(i), j, given->left[j],
                 given->right[j]);
    }
    made.is_whole = !has_reach && covers_storage(*made.storage, slice);
    operands_.push_back(std::move(made));
}

void Statement::find_shape() {
    if (has_target_) {
        ndims_ = operands_[0].ndims;
        std::copy(operands_[0].sizes, operands_[0].sizes + ndims_, shape_);
        return;
    }
    for (const StatementOperand &operand : operands_)
        ndims_ = std::max(ndims_, operand.array ? operand.ndims : 0);
    std::fill(shape_, shape_ + ndims_, 1);
    for (const StatementOperand &operand : operands_) {
        const int n = operand.array ? operand.ndims : operand.data ? ndims_ : 0;
        for (int j = 0; j < n; ++j)
            if (operand.sizes[j] != 1)
                shape_[ndims_ - n + j] = operand.sizes[j];
    }
    for (leader_ = 1; leader_ < operands_.size(); ++leader_)
        if (operands_[leader_].array && operands_[leader_].ndims == ndims_ &&
            std::equal(shape_, shape_ + ndims_, operands_[leader_].sizes))
            return;
    fail(DRI_ERR_UNSUPPORTED, "none of the reads is an array with the shape of the loop");
}

void Statement::place(StatementOperand &operand, size_t i, bool leads) {
    const int n = operand.array ? operand.ndims : operand.data ? ndims_ : 0;
    if (n > ndims_)
        fail(DRI_ERR_ARG, "{} has {} dimensions, but the loop has {}", operand_name(i), n, ndims_);
    for (int j = 0; j < n; ++j) {
        const int d = ndims_ - n + j;
        if (operand.sizes[j] != 1 && operand.sizes[j] != shape_[d])
            fail(DRI_ERR_ARG, "{}, dimension {}: the size is {}, but that of the loop is {}", operand_name(i), j,
                 operand.sizes[j], shape_[d]);
    }
    if (!operand.array) {
        for (int d = 0; d < ndims_; ++d)
            if (operand.sizes[d] == 1)
                operand.steps[d] = 0;
        return;
    }
    for (int k = 0; k < operand.storage->ndims; ++k) {
        const int j = operand.loop_dim[k];
        if (j < 0)
            continue;
        const int d = ndims_ - n + j;
        operand.loop_dim[k] = !leads && operand.sizes[j] == 1 && shape_[d] != 1 ? -1 : d;
        if (operand.loop_dim[k] < 0 && (operand.left[k] || operand.right[k]))
            fail(DRI_ERR_ARG, "{}, dimension {}: it is broadcast, but has left {} and right {}", operand_name(i),
                 j, operand.left[k], operand.right[k]);
    }
}

void Statement::check_boxes() {
    const StatementOperand &first = leader();
    bool has_boxes = true;
    for (size_t i = 0; i < operands_.size(); ++i) {
        const StatementOperand &one = operands_[i];
        if (!one.array)
            continue;
        has_boxes = has_boxes && one.storage->has_boxes;
        if (one.storage->ranks != first.storage->ranks)
            fail(DRI_ERR_UNSUPPORTED, "{} is on other processes than {}, use DRI_assign", operand_name(i),
                 operand_name(leader_));
    }
    for (int k = 0; k < first.storage->ndims; ++k) {
        const DRI_Range &r = first.ranges[k];
        if (r.size > 0 && (r.first < 0 || r.first + (r.size - 1) * r.stride >= first.storage->shape[k]))
            fail(DRI_ERR_ARG, "{}, dimension {}: it leads the loop, but its slice leaves its array",
                 operand_name(leader_), k);
    }
    if (first.storage->position < 0)
        fail(DRI_ERR_ARG, "the calling process is not in the group of the arrays");
    if (has_boxes)
        return;
    flat_ = true;
    for (size_t i = 0; i < operands_.size(); ++i) {
        const StatementOperand &one = operands_[i];
        const bool is_one = std::all_of(one.sizes, one.sizes + ndims_, [](int64_t size) { return size == 1; });
        if (one.array ? !(one.is_whole && one.storage->rule == first.storage->rule && one.storage->is_dense)
                      : one.data && !is_one)
            fail(DRI_ERR_UNSUPPORTED,
                 "{}: where a process has several boxes, all operands are whole arrays over one domain; use "
                 "DRI_assign",
                 operand_name(i));
    }
}

Statement::Statement(const DRI_Operand *target, int nreads, const DRI_Operand reads[]) {
    if (nreads < 0 || nreads > most_reads)
        fail(DRI_ERR_ARG, "nreads is {}, but must be 0 to {}", nreads, most_reads);
    if (nreads > 0)
        outer::require_pointer(reads, "reads");
    has_target_ = target && target->array.id;
    add(target, 0);
    for (int i = 0; i < nreads; ++i)
        add(&reads[i], static_cast<size_t>(i) + 1);
    find_shape();
    for (size_t i = 0; i < operands_.size(); ++i)
        place(operands_[i], i, i == leader_);
    check_boxes();
}

int64_t Statement::volume() const {
    int64_t volume = 1;
    for (int d = 0; d < ndims_; ++d)
        volume *= shape_[d];
    return volume;
}

DRI_Box Statement::target_of_process(int position) const {
    const StatementOperand &lead = leader();
    const DRI_Box &own = lead.storage->owned[static_cast<size_t>(position)];
    DRI_Box target{};
    bool has = !is_empty(own, lead.storage->ndims);
    for (int k = 0; k < lead.storage->ndims; ++k) {
        const int d = lead.loop_dim[k];
        int64_t at = 0, count = 0;
        target_along(own.offset[k], own.size[k], lead.ranges[k], at, count);
        has = has && count > 0;
        if (d >= 0) {
            target.offset[d] = at;
            target.size[d] = count;
        }
    }
    if (!has && ndims_ > 0)
        target = {};
    return target;
}

DRI_Box Statement::reads_at(const StatementOperand &operand, const DRI_Box &target) const {
    DRI_Box box{};
    if (is_empty(target, ndims_))
        return box;
    for (int k = 0; k < operand.storage->ndims; ++k) {
        const int d = operand.loop_dim[k];
        const DRI_Range &r = operand.ranges[k];
        const int64_t first = d < 0 ? 0 : target.offset[d] - operand.left[k];
        const int64_t count = d < 0 ? 1 : target.size[d] + operand.left[k] + operand.right[k];
        box.offset[k] = checked_add(r.first, checked_mul(first, r.stride));
        box.size[k] = checked_add(checked_mul(count - 1, r.stride), 1);
    }
    return box;
}

DRI_Box Statement::core_of(const DRI_Box &target) const {
    DRI_Box core = target;
    bool owns_all = true;
    for (size_t i = 1; i < operands_.size(); ++i) {
        const StatementOperand &one = operands_[i];
        if (!one.array)
            continue;
        const DRI_Box &own = one.storage->owned[static_cast<size_t>(one.storage->position)];
        owns_all = owns_all && !is_empty(own, one.storage->ndims);
        for (int k = 0; k < one.storage->ndims; ++k) {
            const DRI_Range &r = one.ranges[k];
            const int64_t begin = own.offset[k], end = begin + own.size[k];
            const int d = one.loop_dim[k];
            if (d < 0) {
                owns_all = owns_all && r.first >= begin && r.first < end;
                continue;
            }
            const int64_t lo = std::max(core.offset[d], position_at(r, begin) + one.left[k]);
            const int64_t hi = std::min(core.offset[d] + core.size[d], position_at(r, end) - one.right[k]);
            core.offset[d] = lo;
            core.size[d] = std::max<int64_t>(hi - lo, 0);
        }
    }
    if (!owns_all && ndims_ > 0)
        core.size[0] = 0;
    return core;
}

bool Statement::needs_temporary() const {
    const StatementOperand &to = operands_[0];
    if (!has_target_)
        return false;
    for (size_t i = 1; i < operands_.size(); ++i) {
        const StatementOperand &from = operands_[i];
        if (!from.array || from.storage->id != to.storage->id)
            continue;
        for (int k = 0; k < to.storage->ndims; ++k) {
            const bool same_place = from.loop_dim[k] == to.loop_dim[k] &&
                                    from.ranges[k].first == to.ranges[k].first &&
                                    (from.ranges[k].stride == to.ranges[k].stride || from.ranges[k].size == 1);
            if (!same_place || from.left[k] || from.right[k])
                return true;
        }
    }
    return false;
}

bool Statement::shares_plans() const {
    return flat_ || std::all_of(operands_.begin(), operands_.end(), [](const StatementOperand &one) {
               return !one.array || is_small(*one.storage) ||
                      (one.storage->has_boxes && is_cut_in_rows(*one.storage));
           });
}

Bytes Statement::key() const {
    Writer out;
    const bool is_shared = shares_plans();
    out.put(ndims_).put(static_cast<int8_t>(has_target_));
    for (const StatementOperand &one : operands_) {
        out.put(static_cast<int8_t>(one.array != nullptr)).put(static_cast<int8_t>(one.data != nullptr));
        for (int d = 0; one.data && d < ndims_; ++d)
            out.put(one.sizes[d]).put(one.steps[d]);
        if (!one.array)
            continue;
        if (is_shared)
            put(out, one.storage->form);
        else
            out.put(one.storage->id);
        const auto is_same = [&](const StatementOperand &other) { return other.storage == one.storage; };
        out.put(std::find_if(operands_.begin(), operands_.end(), is_same) - operands_.begin());
        put_ranges(out, one);
    }
    return out.take();
}

BoundStorages Statement::storages() const {
    BoundStorages made;
    for (const StatementOperand &one : operands_) {
        made.storages.push_back(one.array ? one.storage : nullptr);
        made.ids.push_back(one.array ? one.storage->id : 0);
    }
    return made;
}

Digest Statement::digest_for_all() const {
    Writer out;
    out.put(ndims_).put(static_cast<int8_t>(has_target_)).put(static_cast<int8_t>(flat_));
    for (const StatementOperand &one : operands_) {
        out.put(static_cast<int8_t>(one.array != nullptr)).put(static_cast<int8_t>(one.data != nullptr));
        for (int d = 0; one.data && d < ndims_; ++d)
            out.put(one.sizes[d]);
        if (!one.array)
            continue;
        put(out, one.storage->rule);
        out.put(one.storage->pitch);
        put_ranges(out, one);
    }
    return digest(out.take());
}

} // namespace dri::array
