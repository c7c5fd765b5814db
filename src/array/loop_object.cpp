// Binds plans to arrays, and combines reductions over processes.
#include "array/loop_object.hpp"

#include "array/call_check.hpp"
#include "array/plan_ledger.hpp"
#include "array/reduction.hpp"
#include "outer/agree.hpp"

#include <dri/env.h>

#include <algorithm>
#include <atomic>

namespace dri::array {

namespace {

constexpr int most_results = 8;
constexpr int64_t most_bytes_of_result = 16;

// What travels before the results of a process.
struct FrameHead {
    int64_t code = DRI_SUCCESS;
    int64_t has_results = 0;
};

template <class F> auto unless_it_times_out(F &&steps, const std::function<void()> &otherwise) {
    try {
        return steps();
    } catch (const outer::AlreadyReported &failed) {
        if (failed.code != DRI_ERR_TIMEOUT)
            otherwise();
        throw;
    } catch (...) {
        otherwise();
        throw;
    }
}

} // namespace

// A reduction of one process, of which its plan has one. It goes on after a timeout.
struct ReductionRun {
    enum class Phase { idle, boxes, frame };

    Phase phase = Phase::idle;
    uint64_t number = 0; // no other reduction of the process has it
    ReductionCall call;
    Reducer reducer;
    int code = DRI_SUCCESS;   // of the kernel
    bool has_results = false; // of boxes
    alignas(16) std::byte box[most_results * most_bytes_of_result];
    alignas(16) std::byte all[most_results * most_bytes_of_result];

    // Fails with DRI_ERR_STATE if another one has timed out.
    void begin(const ReductionCall &with);
};

void ReductionRun::begin(const ReductionCall &with) {
    if (phase != Phase::idle) {
        if (with.kernel != call.kernel || with.context != call.context || with.type.id != call.type.id ||
            with.count != call.count || with.op != call.op)
            fail(DRI_ERR_STATE, "another reduction of these operands has timed out, and must go on first");
        return;
    }
    static std::atomic<uint64_t> last = 0;
    number = ++last;
    call = with;
    reducer = reducer_of(with.type, with.op);
    has_results = false;
    reducer.clear(all, with.count);
}

LoopObject::LoopObject(const Statement &statement) : storages_(statement.storages()) {
    for (const StatementOperand &one : statement.operands()) {
        auto array = one.array ? one.array->base() : nullptr;
        if (!array)
            array = one.array;
        // Reads of one array need it once: the first of them has it.
        const bool is_known =
            operands_.size() > 1 && std::any_of(operands_.begin() + 1, operands_.end(),
                                                [&](const LoopPlan::Bound &read) { return read.array == array; });
        operands_.push_back({one.data, is_known ? nullptr : std::move(array)});
    }
    const std::vector<int> &ranks = statement.leader().storage->ranks;
    if (compares_calls())
        called_with_ = statement.digest_for_all();
    Bytes key = statement.key();
    plan_ = std::dynamic_pointer_cast<LoopPlan>(PlanLedger::all().find(ranks, key, storages_.ids));
    if (plan_) {
        if (compares_calls() && !plan_->state().goes_on())
            compare_calls(ranks, called_with_, "the operands of a loop");
        return;
    }
    plan_ = std::make_shared<LoopPlan>(statement);
    PlanLedger::all().insert(ranks, std::move(key), storages_.ids, plan_);
}

void LoopObject::rest() {
    plan_ = nullptr;
    for (LoopPlan::Bound &one : operands_)
        one.array = nullptr;
}

bool LoopObject::bind(size_t operand, std::shared_ptr<outer::AnyArray> array) {
    if (!array || array->storage_id() != storages_.ids[operand])
        return false;
    operands_[operand].array = std::move(array);
    return true;
}

std::optional<int64_t> LoopObject::timeout_ms() const {
    for (const LoopPlan::Bound &one : operands_)
        if (one.array)
            return one.array->timeout_ms();
    return {};
}

void LoopObject::make_ready() {
    for (size_t i = 0; i < operands_.size(); ++i) {
        if (!operands_[i].array)
            continue;
        if (operands_[i].array->storage_id() != storages_.ids[i])
            fail(DRI_ERR_STATE, "{} has got another domain since the loop was made", operand_name(i));
        if (operands_[i].array->is_updating() && !plan_->state().goes_on())
            fail(DRI_ERR_STATE, "an update of overlap of {} is under way", operand_name(i));
    }
    plan_->bind(storages_, turn_);
}

void LoopObject::run(DRI_Kernel kernel, void *context) {
    if (!kernel)
        fail(DRI_ERR_ARG, "kernel is NULL");
    if (!plan_->has_target())
        fail(DRI_ERR_ARG, "the loop has no target: it is for DRI_loop_reduce");
    const OneThread::Use use(plan_->state().user, "this loop");
    make_ready();
    if (compares_calls() && !plan_->state().goes_on())
        compare("DRI_loop_run", {});
    plan_->run(kernel, context, operands_);
}

void LoopObject::set_context(void *context) {
    const OneThread::Use use(plan_->state().user, "this loop");
    if (!plan_->is_bound_to(storages_)) // the run is another loop's
        return;
    plan_->state().call.context = context;
    if (const auto &run = plan_->state().reduction)
        run->call.context = context;
}

void LoopObject::compare(const char *call, const ReductionCall &reduced) const {
    Writer all;
    put(all, called_with_);
    all.put(std::string_view(call)).put(reduced.type.id).put(reduced.count).put(static_cast<int>(reduced.op));
    compare_calls(plan_->scope().ranks, digest(all.take()), "a loop");
}

void LoopObject::reduce(DRI_Kernel kernel, void *context, DRI_Type type, int count, DRI_Op op, void *result) {
    if (!kernel)
        fail(DRI_ERR_ARG, "kernel is NULL");
    outer::require_pointer(result, "result");
    if (plan_->has_target())
        fail(DRI_ERR_ARG, "the loop has a target: it is for DRI_loop_run");
    if (count < 1 || count > most_results)
        fail(DRI_ERR_ARG, "count is {}, but must be 1 to {}", count, most_results);
    static_cast<void>(reducer_of(type, op)); // refuses others
    if (op != DRI_OP_SUM && plan_->volume() == 0)
        fail(DRI_ERR_ARG, "the loop has no positions, so there is no minimum and no maximum");
    if (!frame_)
        frame_ = &SharedFrame::of(plan_->scope().ranks, "DRI_loop_reduce");
    const OneThread::Use use(plan_->state().user, "this loop");
    make_ready();
    const SharedFrame::Use frame(*frame_, timeout_ms());
    using Phase = ReductionRun::Phase;
    LoopRun &state = plan_->state();
    if (!state.reduction)
        state.reduction = std::make_shared<ReductionRun>();
    ReductionRun &run = *state.reduction;
    const ReductionCall call{kernel, context, type, count, op};
    run.begin(call);
    const FrameCall exchanged{{run.number}, {}, 0, state.reduction, true};
    static_cast<void>(frame->goes_on(exchanged)); // refuses others before boxes are computed
    if (compares_calls() && run.phase == Phase::idle && !state.goes_on())
        compare("DRI_loop_reduce", call);
    const auto end = [&] {
        run.phase = Phase::idle;
        state.is_combining.publish(false);
    };
    if (run.phase != Phase::frame) {
        run.phase = Phase::boxes;
        unless_it_times_out([&] { reduce_boxes(run); }, end);
        run.phase = Phase::frame;
        state.is_combining.publish(true);
    }
    // An element of an array without dimensions is on all processes, and counts once.
    const bool counts = run.has_results && (plan_->ndims() > 0 || plan_->scope().position == 0);
    unless_it_times_out(
        [&] { combine_over(*frame, exchanged, run.code, type, count, op, counts ? run.all : nullptr, result); },
        end);
    end();
}

void LoopObject::reduce_boxes(ReductionRun &run) {
    const LoopPlan::Partial calls{run.box,
                                  [](void *p) {
                                      auto &own = *static_cast<ReductionRun *>(p);
                                      std::memset(own.box, 0, sizeof own.box);
                                  },
                                  [](void *p) {
                                      auto &own = *static_cast<ReductionRun *>(p);
                                      own.reducer.combine(own.all, own.box, own.call.count);
                                      own.has_results = true;
                                  },
                                  &run};
    run.code = plan_->run_partial(run.call.kernel, run.call.context, operands_, calls);
}

void combine_over(SmallFrame &frame, const FrameCall &call, int code, DRI_Type type, int count, DRI_Op op,
                  const void *found, void *result) {
    const Reducer reducer = reducer_of(type, op);
    std::byte mine[SmallFrame::most_bytes]{};
    const FrameHead head{code, found != nullptr};
    std::memcpy(mine, &head, sizeof head);
    const auto bytes = static_cast<size_t>(count * reducer.bytes);
    if (found)
        std::memcpy(mine + sizeof head, found, bytes);
    frame.exchange(mine, call);
    reducer.clear(result, count);
    for (int q = 0; q < frame.processes(); ++q) {
        FrameHead theirs;
        std::memcpy(&theirs, frame.from(q), sizeof theirs);
        if (theirs.code != DRI_SUCCESS)
            fail(static_cast<DRI_Code>(theirs.code), "process {}: the kernel has returned {}", frame.rank(q),
                 DRI_error_string(static_cast<int>(theirs.code)));
        if (theirs.has_results)
            reducer.combine(result, frame.from(q) + sizeof theirs, count);
    }
}

} // namespace dri::array
