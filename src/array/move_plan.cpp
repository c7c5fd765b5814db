// Binds transfers of moves to arrays.
#include "array/move_plan.hpp"

#include "array/plan_ledger.hpp"
#include "array/pure.hpp"
#include "array/window.hpp"
#include "base/failures.hpp"

#include <dri/env.h>

#include <algorithm>
#include <array>

namespace dri::array {

void MovePlan::run(const Moved &from, void *data) {
    bind(from);
    if (!exchange_)
        return;
    if (exchange_->is_under_way() && data != bound_)
        fail(DRI_ERR_STATE, "a call that has timed out goes on with its own memory");
    if (data && !exchange_->is_under_way())
        exchange_->rebind(1, static_cast<std::byte *>(data));
    bound_ = data;
    const std::optional<int64_t> timeout_ms = from.array->timeout_ms();
    exchange_->start(timeout_ms);
    memory_.clear();
    try {
        wait(timeout_ms);
    } catch (const outer::AlreadyReported &failed) {
        if (failed.code == DRI_ERR_TIMEOUT)
            memory_ = from.array->memory();
        throw;
    }
}

// Another process may have given the plan up whose exchange fails. The next move plans anew, as it does there.
void MovePlan::wait(std::optional<int64_t> timeout_ms) {
    try {
        exchange_->wait(timeout_ms);
    } catch (const outer::AlreadyReported &) {
        if (exchange_->is_broken())
            PlanLedger::all().forget(*this);
        throw;
    }
}

void MovePlan::bind(const Moved &from) {
    if (storage_ == from.storage->id && !is_abandoned_)
        return;
    if (is_abandoned_)
        end_abandoned(from.array->timeout_ms());
    const std::lock_guard lock(binding_);
    if (exchange_ && !is_empty(from.own, from.ndims()))
        exchange_->rebind(0, from.data);
    storage_ = from.storage->id;
}

// The other processes have what this one has handed over. What arrives here is of no use.
void MovePlan::end_abandoned(std::optional<int64_t> timeout_ms) {
    wait(timeout_ms);
    is_abandoned_.publish(false);
    pending = {};
    memory_.clear();
}

void MovePlan::finish() noexcept {
    if (!is_under_way() || !outer::library_runs())
        return;
    const QuietFailures quiet; // the user's last message stays
    const std::string message = DRI_error_message();
    try {
        end_abandoned(set_up_deadline_ms());
    } catch (const outer::AlreadyReported &failed) {
        exchange_->give_up(); // its ends would wait as long again
        static_cast<void>(DRI_fail(failed.code, message.c_str()));
    }
}

void MovePlan::let_go(uint64_t storage) noexcept {
    const std::lock_guard lock(binding_);
    if (storage_ != storage)
        return;
    is_abandoned_.publish(is_under_way());
    if (is_abandoned_)
        return;
    storage_ = 0;
    if (maker)
        maker->forget_memory();
    unwanted_ = {};
    if (exchange_)
        exchange_->let_go();
}

Moved::Moved(const std::shared_ptr<outer::AnyArray> &given, const DRI_Range ranges[], bool shares) {
    auto whole = given->whole();
    array = whole ? whole : given;
    storage = array->storage();
    slice = array->slice(ranges, "slice");
    if (storage->position < 0)
        fail(DRI_ERR_ARG, "the calling process is not in the group of the array");
    for (int d = 0; d < slice.ndims; ++d)
        shape[d] = slice.ranges[slice.kept[d]].size;
    is_shared = shares && is_small(*storage);
    if (storage->has_boxes)
        find_own();
}

void Moved::find_own() {
    const outer::Storage &s = *storage;
    const DRI_Box &box = s.owned[static_cast<size_t>(s.position)];
    for (int k = 0; k < s.ndims; ++k)
        if (slice.ranges[k].stride < 1)
            fail(DRI_ERR_ARG, "slice: dimension {} counts backwards in the array's order", k);
    const DRI_Box target = target_of(s.ndims, box, slice.ranges);
    const bool has = !is_empty(target, s.ndims);
    data = s.data;
    for (int k = 0; has && k < s.ndims; ++k)
        data += (slice.ranges[k].first + target.offset[k] * slice.ranges[k].stride - box.offset[k]) * s.steps[k] *
                s.pitch;
    for (int d = 0; d < slice.ndims; ++d) {
        const int k = slice.kept[d];
        own.offset[d] = target.offset[k];
        own.size[d] = has ? target.size[k] : 0;
        steps[d] = slice.ranges[k].stride * s.steps[k];
    }
}

void Moved::require_boxes() const {
    if (!storage->has_boxes)
        fail(DRI_ERR_UNSUPPORTED, "a process has several boxes of the array, use DRI_assign");
}

// Equal for equal calls on this process.
Writer Moved::key(const char *operation) const {
    Writer key;
    key.put(std::string_view(operation)).put(slice.ndims);
    if (is_shared)
        put(key, storage->form);
    else
        key.put(storage->id);
    for (int k = 0; k < storage->ndims; ++k)
        key.put(slice.ranges[k].first).put(slice.ranges[k].stride).put(slice.ranges[k].size);
    for (int d = 0; d < slice.ndims; ++d)
        key.put(slice.kept[d]);
    return key;
}

FrameCall Moved::frame_call(DRI_Op op) const {
    std::array<int64_t, 3 * DRI_MAX_DIMS + 3> what{};
    auto at = what.begin();
    *at++ = static_cast<int64_t>(storage->id);
    *at++ = op;
    *at++ = slice.ndims;
    for (int k = 0; k < storage->ndims; ++k)
        for (const int64_t number : {slice.ranges[k].first, slice.ranges[k].stride, slice.ranges[k].size})
            *at++ = number;
    const auto base = array->base();
    FrameCall call;
    call.what = digest(std::as_bytes(std::span(what.begin(), at)));
    call.array = base ? base : array;
    call.storage = storage->id;
    return call;
}

TransferShape Moved::transfer_shape(const Digest &called_with) const {
    TransferShape made{storage->type, storage->ranks, ndims(), {}, {}};
    std::copy(shape, shape + ndims(), made.shape);
    Writer all;
    put(all, storage->rule);
    put(all, called_with);
    all.put(storage->pitch);
    for (int k = 0; k < storage->ndims; ++k)
        all.put(slice.ranges[k].first).put(slice.ranges[k].stride).put(slice.ranges[k].size);
    made.called_with = digest(all.take());
    return made;
}

} // namespace dri::array
