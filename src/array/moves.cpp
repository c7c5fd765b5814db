// Finds or makes the plan of a move, and runs it to the memory of its result.
#include "array/moves.hpp"

#include "array/call_check.hpp"
#include "array/loop_object.hpp"
#include "array/move_plan.hpp"
#include "array/plan_ledger.hpp"
#include "array/pure.hpp"
#include "array/reduction.hpp"
#include "array/window.hpp"
#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace dri::array {

namespace {

// The plans of the key are in use. numbers: what the call is made with beside the array and the slice. steps: fail
// on all processes alike if calls are compared.
std::shared_ptr<MovePlan> find_move_plan(
    const Moved &of, const Bytes &key, const Digest &numbers, const char *operation,
    const std::function<void()> &steps = [] {}) {
    auto plan =
        std::dynamic_pointer_cast<MovePlan>(PlanLedger::all().find(of.storage->ranks, key, {of.storage->id}));
    if (compares_calls() && !(plan && plan->is_under_way())) {
        Writer all;
        all.put(std::string_view(operation));
        put(all, of.transfer_shape(numbers).called_with);
        compare_calls(of.storage->ranks, digest(all.take()), operation, steps);
    }
    return plan;
}

template <class Make> std::shared_ptr<MovePlan> make_move_plan(const Moved &of, const Bytes &key, Make &&make) {
    auto made = std::make_shared<MovePlan>(of, make());
    PlanLedger::all().insert(of.storage->ranks, key, {of.storage->id}, made);
    return made;
}

// A new array in the default partition.
class NewArray {
public:
    // kept: the plan, if there is one, knows how, and may have the array of a call that has timed out.
    NewArray(const Moved &like, int ndims, const int64_t shape[], MovePlan *kept) {
        if (kept && kept->pending.get().id) {
            handle_ = std::move(kept->pending);
        } else if (kept && kept->maker) {
            *handle_.out() = outer::AnyArrays::insert(kept->maker->make());
        } else {
            outer::OwnedGroup group;
            const std::vector<int> &ranks = like.storage->ranks;
            outer::require(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), group.out()));
            outer::require(DRI_array_create_shape(ndims, shape, like.storage->type, group.get(), handle_.out()));
        }
        array_ = outer::AnyArrays::get(handle_.get());
        storage_ = array_->storage();
    }
    const outer::Storage &storage() const { return *storage_; }
    const DRI_Box &own() const { return storage_->owned[static_cast<size_t>(storage_->position)]; }
    // Moves the elements there, and hands the array on.
    DRI_Array fill(MovePlan &plan, const Moved &from, bool has_elements) {
        if (!plan.maker)
            plan.maker = array_->maker();
        array_ = nullptr;
        try {
            plan.run(from, has_elements ? storage_->data : nullptr);
        } catch (const outer::AlreadyReported &failed) {
            if (failed.code == DRI_ERR_TIMEOUT)
                plan.pending = std::move(handle_);
            throw;
        }
        return release();
    }
    DRI_Array release() { return handle_.release(); }

private:
    outer::OwnedHandle<DRI_Array, DRI_array_destroy> handle_;
    std::shared_ptr<outer::AnyArray> array_;
    std::shared_ptr<const outer::Storage> storage_;
};

Digest digest_of_numbers(const int64_t numbers[], int n) {
    Writer out;
    for (int i = 0; i < n; ++i)
        out.put(numbers[i]);
    return digest(out.take());
}

} // namespace

DRI_Array permute(const std::shared_ptr<outer::AnyArray> &array, const int order[]) {
    const Moved of(array, nullptr, true);
    of.require_boxes();
    const int n = of.ndims();
    unsigned seen = 0;
    int64_t shape[DRI_MAX_DIMS]{};
    for (int i = 0; i < n; ++i) {
        if (order[i] < 0 || order[i] >= n || (seen >> order[i] & 1))
            fail(DRI_ERR_ARG, "order, place {}: {} is no dimension of {}, or was there before", i, order[i], n);
        seen |= 1u << order[i];
        shape[i] = of.shape[order[i]];
    }
    const Digest called_with = digest(std::as_bytes(std::span(order, static_cast<size_t>(n))));
    Writer words = of.key("permute");
    put(words, called_with);
    const Bytes key = words.take();
    const PlanInUse use(of.storage->ranks, key);
    auto plan = find_move_plan(of, key, called_with, "DRI_array_permute");
    NewArray made(of, n, shape, plan.get());
    if (n == 0) {
        std::memcpy(made.storage().data, of.data, static_cast<size_t>(of.storage->pitch));
        return made.release();
    }
    DRI_Box box{};
    int64_t steps[DRI_MAX_DIMS]{};
    for (int i = 0; i < n; ++i) {
        box.offset[order[i]] = made.own().offset[i];
        box.size[order[i]] = made.own().size[i];
        steps[order[i]] = made.storage().steps[i];
    }
    if (!plan)
        plan = make_move_plan(of, key, [&] {
            return make_transfer(of.transfer_shape(called_with), "DRI_array_permute", {of.own, of.data, of.steps},
                                 {{box, made.storage().data, steps}}, of.array->timeout_ms(), of.rebinds());
        });
    return made.fill(*plan, of, !is_empty(box, n));
}

DRI_Array reshape(const std::shared_ptr<outer::AnyArray> &array, int ndims, const int64_t shape[]) {
    require_shape(ndims, shape);
    const Moved of(array, nullptr, true);
    of.require_boxes();
    const int n = of.ndims();
    int64_t elements = 1, wanted = 1;
    for (int d = 0; d < n; ++d)
        elements *= of.shape[d];
    const bool has_elements = std::find(shape, shape + ndims, 0) == shape + ndims;
    for (int d = 0; d < ndims; ++d)
        wanted = has_elements ? checked_mul(wanted, shape[d]) : 0;
    if (elements != wanted)
        fail(DRI_ERR_ARG, "the shape has {} elements, but the array {}", wanted, elements);
    if (n == 0 || of.array->base() || !is_cut_in_rows(*of.storage) || !of.storage->is_dense)
        fail(DRI_ERR_UNSUPPORTED, "the array is an alias, has overlap, or is cut along other dimensions than 0");
    Writer words = of.key("reshape");
    words.put_all(std::span(shape, static_cast<size_t>(ndims)));
    const Bytes key = words.take();
    const Digest called_with = digest_of_numbers(shape, ndims);
    const PlanInUse use(of.storage->ranks, key);
    auto plan = find_move_plan(of, key, called_with, "DRI_array_reshape");
    NewArray made(of, ndims, shape, plan.get());
    const auto flat = [elements](const DRI_Box &box, int dims, int64_t rows) {
        const int64_t row = dims && rows ? elements / rows : elements;
        DRI_Box line{};
        line.offset[0] = dims ? box.offset[0] * row : 0;
        line.size[0] = dims ? box.size[0] * row : elements;
        return line;
    };
    const DRI_Box from = flat(of.own, n, of.shape[0]), to = flat(made.own(), ndims, ndims ? shape[0] : 1);
    const int64_t one = 1;
    if (!plan)
        plan = make_move_plan(of, key, [&] {
            TransferShape line = of.transfer_shape(called_with);
            line.ndims = 1;
            line.shape[0] = elements;
            return make_transfer(line, "DRI_array_reshape", {from, of.data, &one},
                                 {{to, made.storage().data, &one}}, of.array->timeout_ms(), of.rebinds());
        });
    return made.fill(*plan, of, to.size[0] > 0);
}

void gather(const std::shared_ptr<outer::AnyArray> &array, const DRI_Range slice[], int root, void *data) {
    const Moved of(array, slice);
    of.require_boxes();
    const std::vector<int> &ranks = of.storage->ranks;
    const int n = of.ndims();
    if (root != -1 && std::find(ranks.begin(), ranks.end(), root) == ranks.end())
        fail(DRI_ERR_ARG, "root is {}, which is no process of the array", root);
    const bool receives = root == -1 || ranks[static_cast<size_t>(of.storage->position)] == root;
    DRI_Box box{};
    int64_t steps[DRI_MAX_DIMS]{}, step = 1;
    for (int d = n; d-- > 0; step *= std::max<int64_t>(of.shape[d], 1)) {
        box.size[d] = receives ? of.shape[d] : 0;
        steps[d] = step;
    }
    const bool has = receives && !is_empty(box, n);
    if (n == 0) {
        if (!receives)
            return;
        outer::require_pointer(data, "data");
        std::memcpy(data, of.data, static_cast<size_t>(of.storage->pitch));
        return;
    }
    // A receiver without memory takes part, so that nobody waits for it, and fails then.
    const bool is_refused = has && !data;
    AlignedBuffer unwanted(is_refused ? checked_mul(volume_of(box, n), of.storage->pitch) : 0);
    Writer words = of.key("gather");
    words.put(root);
    const Bytes key = words.take();
    const int64_t number = root;
    const Digest called_with = digest_of_numbers(&number, 1);
    const PlanInUse use(of.storage->ranks, key);
    auto plan = find_move_plan(of, key, called_with, "DRI_array_gather", [&] {
        if (is_refused)
            outer::require_pointer(data, "data");
    });
    if (!plan)
        plan = make_move_plan(of, key, [&] {
            std::byte *const to = is_refused ? unwanted.data() : static_cast<std::byte *>(data);
            return make_transfer(of.transfer_shape(called_with), "DRI_array_gather", {of.own, of.data, of.steps},
                                 {{box, to, steps}}, of.array->timeout_ms(), of.rebinds());
        });
    plan->run(of, !has ? nullptr : is_refused ? plan->unwanted(std::move(unwanted)) : data);
    if (is_refused)
        outer::require_pointer(data, "data");
}

void reduce(const std::shared_ptr<outer::AnyArray> &array, const DRI_Range slice[], DRI_Op op, void *result) {
    const Moved of(array, slice);
    const outer::Storage &s = *of.storage;
    outer::require_pointer(result, "result");
    const Summer summer = summer_of(s.type, op);
    const Reducer reducer = reducer_of(summer.result, op);
    bool is_whole = s.is_dense && of.ndims() == s.ndims;
    int64_t volume = 1;
    for (int d = 0; d < of.ndims(); ++d)
        volume *= of.shape[d];
    for (int k = 0; k < s.ndims; ++k)
        is_whole = is_whole && of.slice.ranges[k].size == s.shape[k];
    if (!is_whole)
        of.require_boxes();
    if (volume == 0 && op != DRI_OP_SUM)
        fail(DRI_ERR_ARG, "the slice is empty, so there is no minimum and no maximum");
    const SharedFrame::Use frame(SharedFrame::of(s.ranks, "DRI_array_reduce"), of.array->timeout_ms());
    alignas(16) std::byte mine[16];
    reducer.clear(mine, 1);
    bool has = false;
    if (s.has_boxes && !is_empty(of.own, of.ndims())) {
        int64_t steps[DRI_MAX_DIMS]{};
        for (int d = 0; d < of.ndims(); ++d)
            steps[d] = of.steps[d] * s.pitch;
        summer.add(mine, of.ndims(), of.own.size, of.data, steps);
        has = of.ndims() > 0 || s.position == 0;
    } else if (!s.has_boxes && s.count > 0) {
        summer.add(mine, 1, &s.count, s.data, &s.pitch);
        has = true;
    }
    const FrameCall call = of.frame_call(op);
    if (!frame->goes_on(call) && compares_calls()) {
        const int64_t number = op;
        compare_calls(s.ranks, of.transfer_shape(digest_of_numbers(&number, 1)).called_with, "DRI_array_reduce");
    }
    combine_over(*frame, call, DRI_SUCCESS, summer.result, 1, op, has ? mine : nullptr, result);
}

} // namespace dri::array
