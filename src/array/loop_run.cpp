// Runs loops: exchanges start, the core is computed, exchanges end, edges are computed.
#include "array/loop_plan.hpp"

#include "array/plan_ledger.hpp"
#include "base/failures.hpp"
#include "outer/calls.hpp"

#include <dri/env.h>
#include <dri/stream.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dri::array {

namespace {

constexpr size_t most_operands = 33;

// Another process may have given the plan up whose exchange fails. The next loop plans anew, as it does there.
template <class Steps>
void unless_broken(KeptPlan &plan, std::span<const std::unique_ptr<ReadWindow>> windows, Steps &&steps) {
    try {
        steps();
    } catch (const outer::AlreadyReported &) {
        if (std::any_of(windows.begin(), windows.end(), [](const auto &one) { return one->is_broken(); }))
            PlanLedger::all().forget(plan);
        throw;
    }
}

void keep_memory(LoopRun &run, LoopPlan::Operands operands) {
    run.memory.clear();
    bool keeps_memory = true;
    for (const LoopPlan::Bound &one : operands) {
        if (!one.array)
            continue;
        const auto memory = one.array->memory();
        run.memory.insert(run.memory.end(), memory.begin(), memory.end());
        keeps_memory = keeps_memory && !memory.empty();
    }
    run.keeps_memory.publish(keeps_memory);
}

} // namespace

int LoopPlan::call(DRI_Kernel kernel, void *context, Operands operands, const DRI_Box &box, bool is_core,
                   const Partial *partial) {
    const std::vector<OperandPlace> &places = is_core ? core_ : edge_;
    std::array<void *, most_operands> addresses;
    std::array<const int64_t *, most_operands> steps;
    for (size_t i = 0; i < places.size(); ++i) {
        auto *at = places[i].data;
        if (!at) // plain memory, which the library does not write
            at = const_cast<std::byte *>(static_cast<const std::byte *>(operands[i].data));
        for (int d = 0; at && d < ndims_; ++d)
            at += box.offset[d] * places[i].steps[d];
        addresses[i] = at;
        steps[i] = places[i].steps;
    }
    if (!partial)
        return kernel(context, ndims_, box.size, addresses.data(), steps.data());
    addresses[0] = partial->data;
    partial->clear(partial->context);
    const int code = kernel(context, ndims_, box.size, addresses.data(), steps.data());
    if (code == DRI_SUCCESS)
        partial->combine(partial->context);
    return code;
}

// Another kernel, or another context, has other results of the core.
void LoopPlan::require_same_call(const LoopCall &call) const {
    if (call.kernel != run_.call.kernel)
        fail(DRI_ERR_STATE, "a run of these operands with another kernel has timed out, and must go on first");
    if (call.context != run_.call.context)
        fail(DRI_ERR_STATE, "a run of these operands with another context has timed out, and must go on first");
}

// The other processes have what this one has handed over. What arrives here is of no use.
void LoopPlan::end_abandoned_run(std::optional<int64_t> timeout_ms) {
    unless_broken(*this, windows_, [&] {
        for (const auto &window : windows_)
            window->wait_without_array(timeout_ms);
    });
    for (Published<bool> *const flag : {&run_.is_abandoned, &run_.is_started, &run_.keeps_memory})
        flag->publish(false);
    run_.memory.clear();
}

void LoopPlan::finish() noexcept {
    if (!run_.is_started || run_.is_abandoned || !outer::library_runs())
        return;
    const QuietFailures quiet; // the user's last message stays
    const std::string message = DRI_error_message();
    try {
        end_abandoned_run(set_up_deadline_ms());
    } catch (const outer::AlreadyReported &failed) {
        for (const auto &window : windows_) // their ends would wait as long again
            window->give_up();
        static_cast<void>(DRI_fail(failed.code, message.c_str()));
    }
}

int LoopPlan::run_boxes(DRI_Kernel kernel, void *context, Operands operands, const Partial *partial) {
    const struct Running {
        bool &flag, before = std::exchange(flag, true);
        ~Running() { flag = before; }
    } running{run_.is_active};
    const LoopCall mine{kernel, context, partial ? partial->context : nullptr};
    if (run_.is_started)
        require_same_call(mine);
    if (!run_.is_started || mine.results != run_.call.results) { // other results have nothing of the core
        run_.call = mine;
        run_.is_started.publish(false);
        unless_broken(*this, windows_, [&] {
            for (size_t w = 0; w < windows_.size(); ++w)
                windows_[w]->start(*operands[served_by_[w]].array);
        });
        run_.kernel_code = run_.lacks_memory ? DRI_ERR_MEMORY : DRI_SUCCESS;
        for (const DRI_Box &tile : boxes_.tiles) {
            if (run_.kernel_code != DRI_SUCCESS)
                break;
            run_.kernel_code = call(kernel, context, operands, tile, true, partial);
            if (fetches_ && &tile != &boxes_.tiles.back())
                outer::require(DRI_progress());
        }
    }
    run_.is_started.publish(false);
    try {
        unless_broken(*this, windows_, [&] {
            for (size_t w = 0; w < windows_.size(); ++w)
                windows_[w]->wait(*operands[served_by_[w]].array);
        });
    } catch (const outer::AlreadyReported &failed) {
        run_.is_started.publish(failed.code == DRI_ERR_TIMEOUT);
        if (run_.is_started)
            keep_memory(run_, operands);
        throw;
    }
    run_.memory.clear();
    run_.keeps_memory.publish(false);
    for (const DRI_Box &edge : boxes_.edges) {
        if (run_.kernel_code != DRI_SUCCESS)
            break;
        run_.kernel_code = call(kernel, context, operands, edge, false, partial);
    }
    return run_.kernel_code;
}

void LoopPlan::store_result() {
    if (temporary_.bytes == 0)
        return;
    int64_t from_steps[DRI_MAX_DIMS]{}, to_steps[DRI_MAX_DIMS]{};
    const std::byte *from = core_[0].data;
    std::byte *to = temporary_.result.data;
    for (int d = 0; d < ndims_; ++d) {
        from_steps[d] = core_[0].steps[d] / pitch_;
        to_steps[d] = temporary_.result.steps[d] / pitch_;
        from += boxes_.target.offset[d] * core_[0].steps[d];
        to += boxes_.target.offset[d] * temporary_.result.steps[d];
    }
    copy_elements(ndims_, boxes_.target.size, pitch_, from, from_steps, to, to_steps);
}

void LoopPlan::run(DRI_Kernel kernel, void *context, Operands operands) {
    if (!run_.is_started && !run_.is_active)
        run_.lacks_memory = !place_result(operands, true);
    const int code = run_boxes(kernel, context, operands, nullptr);
    if (code != DRI_SUCCESS && run_.lacks_memory)
        fail(DRI_ERR_MEMORY, "no memory for a temporary of {} bytes, nothing is computed here", temporary_.bytes);
    if (code != DRI_SUCCESS)
        fail(static_cast<DRI_Code>(code), "the kernel has returned {}", DRI_error_string(code));
    store_result();
}

int LoopPlan::run_partial(DRI_Kernel kernel, void *context, Operands operands, const Partial &partial) {
    return run_boxes(kernel, context, operands, &partial);
}

} // namespace dri::array
