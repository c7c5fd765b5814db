// The calls of graph_run.h.
#include "base/failures.hpp"
#include "graph/plan_object.hpp"
#include "graph/tags.hpp"
#include "outer/calls.hpp"

namespace dri::graph {

namespace {

// The plan that this thread has run last. The pointer is weak, so it keeps no plan, and a plan that is destroyed
// is found no more.
std::shared_ptr<PlanObject> plan_to_run(DRI_Plan plan) {
    struct Last {
        uint64_t id = 0;
        std::weak_ptr<PlanObject> plan;
    };
    thread_local Last last;
    outer::require_library();
    if (last.id == plan.id)
        if (auto found = last.plan.lock())
            return found;
    auto found = PlanObjects::get(plan);
    last = {plan.id, found};
    return found;
}

// Runs the steps of a call that may find the end of the stream, which is no failure.
template <class Steps> int run_frames(const char *call, DRI_Plan plan, Steps &&steps) {
    int end = DRI_SUCCESS;
    const int code = outer::run(call, [&] {
        const auto found = plan_to_run(plan);
        const PlanObject::Use use(*found);
        // What fails inside is the failure of this call, and is told once.
        try {
            const QuietFailures quiet;
            end = steps(found->runner());
        } catch (const outer::AlreadyReported &failed) {
            fail(static_cast<DRI_Code>(failed.code), "{}", DRI_error_message());
        }
    });
    return code == DRI_SUCCESS ? end : code;
}

} // namespace

} // namespace dri::graph

extern "C" {

int DRI_plan_commit(DRI_Plan plan, const DRI_Plan_options *options) {
    return dri::outer::run("DRI_plan_commit", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        const dri::graph::PlanObject::Use use(*found);
        found->commit(options);
    });
}

int DRI_plan_set_input(DRI_Plan plan, const char *name, const void *data) {
    return dri::outer::run("DRI_plan_set_input", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        const dri::graph::PlanObject::Use use(*found);
        found->runner().set_input(dri::graph::checked_name(name, "name"), data);
    });
}

int DRI_plan_run(DRI_Plan plan) {
    return dri::graph::run_frames("DRI_plan_run", plan, [](auto &runner) { return runner.run(); });
}

int DRI_plan_stream(DRI_Plan plan, int64_t most) {
    return dri::graph::run_frames("DRI_plan_stream", plan, [&](auto &runner) {
        if (most < -1)
            dri::fail(DRI_ERR_ARG, "most is {}, but must be at least -1", most);
        return runner.stream(most);
    });
}

int DRI_plan_get_output(DRI_Plan plan, const char *name, const void **data) {
    return dri::outer::run("DRI_plan_get_output", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(data, "data");
        *data = nullptr;
        *data = found->runner().output(dri::graph::checked_name(name, "name"));
    });
}

int DRI_plan_get_times(DRI_Plan plan, int pid, DRI_Part_times *times) {
    return dri::outer::run("DRI_plan_get_times", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(times, "times");
        *times = found->runner().times(pid);
    });
}

int DRI_plan_draw(DRI_Plan plan, char *dot, size_t n, size_t *needed) {
    return dri::outer::run("DRI_plan_draw", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        const dri::graph::PlanObject::Use use(*found);
        const std::string text = found->draw([&] {
            if (n > 0)
                dri::outer::require_pointer(dot, "dot");
        });
        if (needed)
            *needed = text.size() + 1;
        if (n > 0)
            dri::outer::give_text(text, dot, n);
    });
}
}
