// Finds the plan of a repartition, by one small frame, or makes it, and fetches the halos.
#include "array/repartition.hpp"

#include "array/call_check.hpp"
#include "array/one_thread.hpp"
#include "array/pure.hpp"
#include "array/small_frame.hpp"
#include "array/window.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <optional>

namespace dri::array {

namespace {

struct Repartitioned;

// Where the pieces of one repartition are. It keeps no array, because plans must not.
struct RepartitionPlan {
    outer::StorageSlice slice;
    DRI_Box target; // of this process
    ReadWindow window;
    HeldParts parts; // of the pieces, without the memory that must stay
};

// A call that has timed out.
struct Pending {
    outer::StorageSlice slice;
    DRI_Box target;
    std::shared_ptr<RepartitionPlan> plan; // nullptr: processes have not agreed yet
};

HeldParts parts_at(const Repartitioned &of, const DRI_Box &target, const ReadWindow &window);

// The plans of one storage, the one used last first. All processes have equally many in the same order.
struct Repartitions {
    static constexpr size_t most_plans = 16;
    std::list<std::shared_ptr<RepartitionPlan>> plans;
    std::optional<Pending> pending;
    OneThread user;
    SharedFrame *frame = nullptr; // once there has been one
};

class RepartitionStore {
public:
    static RepartitionStore &all() {
        static auto *const store = new RepartitionStore; // never destroyed: other static objects may end later
        return *store;
    }
    std::shared_ptr<Repartitions> of(uint64_t storage) {
        const std::lock_guard lock(mutex_);
        auto &found = by_storage_[storage];
        if (!found)
            found = std::make_shared<Repartitions>();
        return found;
    }
    void drop(uint64_t storage) {
        std::shared_ptr<Repartitions> gone; // destroyed after the lock is released
        const std::lock_guard lock(mutex_);
        if (const auto at = by_storage_.find(storage); at != by_storage_.end()) {
            gone = std::move(at->second);
            by_storage_.erase(at);
        }
    }

private:
    RepartitionStore() {
        outer::at_storage_end([](uint64_t storage) { all().drop(storage); });
    }
    std::mutex mutex_;
    std::map<uint64_t, std::shared_ptr<Repartitions>> by_storage_;
};

// What processes tell each other: which plans have their target, or what is wrong with it.
struct TargetFrame {
    uint64_t plans = 0;
    int64_t wrong_dim = -1, offset = 0, size = 0, extent = 0;
};

class PlannedHalos final : public Halos {
public:
    PlannedHalos(std::shared_ptr<RepartitionPlan> plan, std::shared_ptr<outer::AnyArray> base)
        : base_(std::move(base)), plan_(std::move(plan)) {}
    void start() override {
        if (compares_calls() && plan_->window.kind() != WindowKind::none)
            compare_calls(base_->storage()->ranks, digest_of_name(plan_->window.name()),
                          "DRI_array_update_overlap of a piece");
        plan_->window.start(*base_);
    }
    void wait() override { plan_->window.wait(*base_); }
    std::shared_ptr<const void> memory() const override { return plan_->window.memory(); }

private:
    std::shared_ptr<outer::AnyArray> base_;
    std::shared_ptr<RepartitionPlan> plan_; // destroyed before the array
};

// An array to be repartitioned.
struct Repartitioned {
    std::shared_ptr<outer::AnyArray> array, base;
    std::shared_ptr<const outer::Storage> storage;
    outer::StorageSlice slice;
    int64_t shape[DRI_MAX_DIMS]{};

    explicit Repartitioned(const std::shared_ptr<outer::AnyArray> &given);
    DRI_Box elements_at(const DRI_Box &target) const;
};

bool same_range(const DRI_Range &a, const DRI_Range &b) {
    return a.first == b.first && a.stride == b.stride && a.size == b.size;
}

bool is_same_slice(const outer::StorageSlice &a, const outer::StorageSlice &b) {
    return a.ndims == b.ndims && std::equal(a.kept, a.kept + a.ndims, b.kept) &&
           std::equal(a.ranges, a.ranges + DRI_MAX_DIMS, b.ranges, same_range);
}

Repartitioned::Repartitioned(const std::shared_ptr<outer::AnyArray> &given) {
    auto whole = given->whole();
    array = whole ? whole : given;
    storage = array->storage();
    slice = array->slice(nullptr, "array");
    auto all = array->base();
    base = all ? all : array;
    if (storage->ndims == 0)
        fail(DRI_ERR_ARG, "an array without dimensions is whole on every process");
    if (!storage->has_boxes)
        fail(DRI_ERR_UNSUPPORTED, "a process has several boxes of the array, use DRI_assign");
    if (storage->position < 0)
        fail(DRI_ERR_ARG, "the calling process is not in the group of the array");
    if (!is_cut_in_rows(*storage) || slice.kept[0] != 0)
        fail(DRI_ERR_UNSUPPORTED, "the array is cut along other dimensions than 0, use DRI_assign");
    for (int d = 0; d < slice.ndims; ++d) {
        const DRI_Range &r = slice.ranges[slice.kept[d]];
        if (r.stride < 1)
            fail(DRI_ERR_UNSUPPORTED, "dimension {} of the array counts backwards, use DRI_assign", d);
        shape[d] = r.size;
    }
}

DRI_Box Repartitioned::elements_at(const DRI_Box &target) const {
    DRI_Box positions{};
    if (is_empty(target, slice.ndims))
        return positions;
    std::fill(positions.size, positions.size + storage->ndims, 1);
    for (int d = 0; d < slice.ndims; ++d) {
        positions.offset[slice.kept[d]] = target.offset[d];
        positions.size[slice.kept[d]] = target.size[d];
    }
    return reads_of(storage->ndims, slice.ranges, positions);
}

TargetFrame frame_of(const Repartitioned &of, const DRI_Box &target, const Repartitions &kept) {
    TargetFrame frame;
    for (int d = 0; d < of.slice.ndims; ++d)
        if (target.offset[d] < 0 || target.size[d] < 0 || target.offset[d] > of.shape[d] - target.size[d])
            return {0, d, target.offset[d], target.size[d], of.shape[d]};
    uint64_t bit = 1;
    for (const auto &plan : kept.plans) {
        const bool is_same =
            is_same_slice(plan->slice, of.slice) && std::memcmp(&plan->target, &target, sizeof target) == 0;
        frame.plans |= is_same ? bit : 0;
        bit <<= 1;
    }
    return frame;
}

std::shared_ptr<RepartitionPlan> make_plan(const Repartitioned &of, const DRI_Box &target) {
    const outer::Storage &s = *of.storage;
    outer::OwnedGroup group;
    outer::require(DRI_group_create(static_cast<int>(s.ranks.size()), s.ranks.data(), group.out()));
    std::vector<DRI_Box> boxes(s.ranks.size());
    outer::require(DRI_group_gather(group.get(), DRI_SUCCESS, &target, sizeof target, nullptr, boxes.data(),
                                    static_cast<int64_t>(boxes.size() * sizeof target)));
    for (DRI_Box &box : boxes)
        box = of.elements_at(box);
    auto made = std::make_shared<RepartitionPlan>(
        RepartitionPlan{of.slice, target, ReadWindow(of.storage, boxes, "the array"), {}});
    made->parts = parts_at(of, target, made->window);
    made->window.commit("DRI_array_repartition", of.base->timeout_ms(), Rebinds::none);
    return made;
}

// The plan that all processes have for their targets.
std::shared_ptr<RepartitionPlan> agreed_plan(const Repartitioned &of, const DRI_Box &target, Repartitions &kept,
                                             bool is_new) {
    if (compares_calls() && is_new) {
        Writer all;
        all.put(std::string_view("DRI_array_repartition"));
        put(all, of.storage->rule);
        for (int k = 0; k < of.storage->ndims; ++k)
            all.put(of.slice.ranges[k].first).put(of.slice.ranges[k].stride).put(of.slice.ranges[k].size);
        compare_calls(of.storage->ranks, digest(all.take()), "DRI_array_repartition");
    }
    if (!kept.frame)
        kept.frame = &SharedFrame::of(of.storage->ranks, "DRI_array_repartition");
    const SharedFrame::Use frame(*kept.frame, of.base->timeout_ms());
    const TargetFrame mine = frame_of(of, target, kept);
    FrameCall call;
    call.what.low = of.storage->id;
    call.array = of.base;
    call.storage = of.storage->id;
    frame->exchange(std::as_bytes(std::span(&mine, 1)), call);
    uint64_t common = ~uint64_t{0};
    for (int q = 0; q < frame->processes(); ++q) {
        TargetFrame theirs;
        std::memcpy(&theirs, frame->from(q), sizeof theirs);
        if (theirs.wrong_dim >= 0)
            fail(DRI_ERR_ARG, "process {}: target, dimension {}: offset {} and size {} leave the array of {}",
                 of.storage->ranks[static_cast<size_t>(q)], theirs.wrong_dim, theirs.offset, theirs.size,
                 theirs.extent);
        common &= theirs.plans;
    }
    for (auto at = kept.plans.begin(); at != kept.plans.end(); ++at, common >>= 1)
        if (common & 1) {
            kept.plans.splice(kept.plans.begin(), kept.plans, at);
            return kept.plans.front();
        }
    auto made = make_plan(of, target);
    kept.plans.push_front(made);
    if (kept.plans.size() > Repartitions::most_plans)
        kept.plans.pop_back();
    return made;
}

// The plan for the targets, once its windows are filled. After a timeout the same call goes on.
std::shared_ptr<RepartitionPlan> filled_plan(const Repartitioned &of, const DRI_Box &target, Repartitions &kept) {
    auto plan = kept.pending ? kept.pending->plan : nullptr;
    const bool is_new = !kept.pending;
    kept.pending.reset();
    try {
        if (!plan)
            plan = agreed_plan(of, target, kept, is_new);
        plan->window.start(*of.base);
        plan->window.wait(*of.base);
    } catch (const outer::AlreadyReported &failed) {
        if (failed.code == DRI_ERR_TIMEOUT)
            kept.pending = Pending{of.slice, target, plan};
        throw;
    }
    return plan;
}

// Ends a call that has timed out, as the other processes do, before another one begins.
void end_pending(const Repartitioned &next, const DRI_Box &target, Repartitions &kept) {
    const Pending &last = *kept.pending;
    if (is_same_slice(last.slice, next.slice) && std::memcmp(&last.target, &target, sizeof target) == 0)
        return;
    Repartitioned of = next;
    const DRI_Box of_target = last.target;
    of.slice = last.slice;
    for (int d = 0; d < of.slice.ndims; ++d)
        of.shape[d] = of.slice.ranges[of.slice.kept[d]].size;
    filled_plan(of, of_target, kept);
}

// The parts of the piece at a target.
HeldParts parts_at(const Repartitioned &of, const DRI_Box &target, const ReadWindow &window) {
    const outer::Storage &s = *of.storage;
    HeldParts made;
    made.type = own_type(s.type);
    made.pitch = s.pitch;
    made.ndims = of.slice.ndims;
    made.start = target;
    for (int d = 0; d < made.ndims; ++d) {
        made.shape[d] = of.shape[d];
        made.elements[d] = of.slice.ranges[of.slice.kept[d]];
    }
    const DRI_Box &own = s.owned[static_cast<size_t>(s.position)];
    const DRI_Range &rows = of.slice.ranges[0];
    const int64_t own_begin = position_at(rows, own.offset[0]);
    const int64_t own_end = position_at(rows, own.offset[0] + own.size[0]);
    const int64_t begin = target.offset[0], end = begin + target.size[0];
    int64_t from = std::clamp(own_begin, begin, end), to = std::clamp(own_end, begin, end);
    bool owns = from < to;
    for (int k = 1; k < s.ndims; ++k)
        owns = owns && own.size[k] > 0;
    if (!owns)
        from = to = own.size[0] > 0 && begin >= own_end ? begin : end;
    const int64_t cuts[]{begin, from, to, end};
    for (size_t i = 0; i < 3; ++i) {
        PiecePart &part = made.parts[i];
        part.positions = target;
        part.positions.offset[0] = cuts[i];
        part.positions.size[0] = cuts[i + 1] - cuts[i];
        int64_t first[DRI_MAX_DIMS];
        for (int k = 0; k < s.ndims; ++k)
            first[k] = of.slice.ranges[k].first;
        for (int d = 0; d < made.ndims; ++d) {
            const int k = of.slice.kept[d];
            first[k] += part.positions.offset[d] * made.elements[d].stride;
            part.steps[d] = made.elements[d].stride * (i == 1 ? s.steps[k] : window.steps()[k]);
        }
        if (is_empty(part.positions, made.ndims))
            continue;
        part.data = i == 1 ? s.data : window.at(first);
        for (int k = 0; i == 1 && k < s.ndims; ++k)
            part.data += (first[k] - own.offset[k]) * s.steps[k] * s.pitch;
    }
    return made;
}

} // namespace

std::shared_ptr<ArrayPiece> repartition(const std::shared_ptr<outer::AnyArray> &array, const DRI_Box *target) {
    const Repartitioned of(array);
    const outer::Storage &s = *of.storage;
    DRI_Box wanted{};
    if (target) {
        std::copy(target->offset, target->offset + of.slice.ndims, wanted.offset);
        std::copy(target->size, target->size + of.slice.ndims, wanted.size);
    } else {
        wanted = default_part(static_cast<int>(s.ranks.size()), s.position, of.slice.ndims, of.shape);
    }
    const auto kept = RepartitionStore::all().of(s.id);
    const OneThread::Use use(kept->user, "DRI_array_repartition of this array");
    if (kept->pending)
        end_pending(of, wanted, *kept);
    const auto plan = filled_plan(of, wanted, *kept);
    auto made = std::make_shared<ArrayPiece>(plan->parts, of.array);
    made->set_halos(std::make_shared<PlannedHalos>(plan, of.base), of.base);
    return made;
}

} // namespace dri::array
