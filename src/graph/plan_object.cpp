// Commits plans: one agreement about the options, one about what each process declares, and the commit of all
// endpoints.
#include "graph/plan_object.hpp"

#include "graph/drawing.hpp"
#include "graph/late_ends.hpp"

namespace dri::graph {

namespace {

RunOptions checked_options(const DRI_Plan_options *given) {
    const DRI_Plan_options none{};
    const DRI_Plan_options &options = given ? *given : none;
    const auto require_between = [](const char *name, int value, int lo, int hi) {
        if (value < lo || value > hi)
            fail(DRI_ERR_ARG, "{} is {}, but must be {} to {}", name, value, lo, hi);
    };
    require_between("frames", options.frames, 0, 1024);
    require_between("stream", options.stream, 0, 1);
    require_between("timeout_ms", options.timeout_ms, 0, INT32_MAX);
    require_between("progress_thread", options.progress_thread, 0, 1);
    for (const int64_t word : options.reserved)
        if (word != 0)
            fail(DRI_ERR_ARG, "a reserved word of the options is {}, but must be 0", word);
    return {std::max(options.frames, 1), options.stream == 1, options.progress_thread == 1, options.timeout_ms};
}

Digest digest_of(const DRI_Plan_options *given) {
    const DRI_Plan_options options = given ? *given : DRI_Plan_options{};
    Writer out;
    out.put(std::max(options.frames, 1)).put(options.stream).put(options.timeout_ms).put(options.progress_thread);
    return digest(out.take());
}

void require_stream_to_drop(const PlanBody &plan, const RunOptions &options) {
    for (const int sink : plan.reached().sinks)
        if (plan.body().port_of(sink).drops() && !options.is_stream)
            fail(DRI_ERR_UNSUPPORTED, "the sink port '{}' drops frames, so the plan must be a stream",
                 plan.body().node(sink).name);
}

} // namespace

void PlanObject::commit(const DRI_Plan_options *options) {
    RunOptions checked;
    const std::string name = outer::agree(body_.scope(), digest_of(options), "the options of the plan", [&] {
        if (runner_)
            fail(DRI_ERR_STATE, "the plan is committed");
        checked = checked_options(options);
        require_stream_to_drop(body_, checked);
        if (checked.is_stream)
            require_ends_in_time(body_.operations());
    });
    std::unique_ptr<Runner> made;
    exchange(body_.scope(), [&] {
        made = std::make_unique<Runner>(body_, checked, name);
        return Bytes{};
    });
    const std::vector<DRI_Xfer> xfers = made->xfers();
    outer::require(DRI_commit_ends(body_.scope().group, static_cast<int>(xfers.size()), xfers.data()));
    made->bind();
    runner_ = std::move(made);
}

Runner &PlanObject::runner() const {
    if (!runner_)
        fail(DRI_ERR_STATE, "the plan is not committed");
    return *runner_;
}

std::string PlanObject::draw(const std::function<void()> &check) const {
    const auto brought = exchange(body_.scope(), [&] {
        check();
        DrawnProcess own;
        own.rank = body_.rank();
        own.parts.resize(body_.parts().parts.size());
        for (const int call : body_.reached().calls)
            own.parts[static_cast<size_t>(body_.parts().call_part[static_cast<size_t>(call)])].calls.push_back(
                body_.body().call(call).name);
        if (runner_)
            for (size_t pid = 0; pid < own.parts.size(); ++pid) {
                const DRI_Part_times times = runner_->times(static_cast<int>(pid));
                if (times.frames > 0)
                    own.parts[pid].seconds = times.total_call / static_cast<double>(times.frames);
            }
        Writer out;
        put(out, own);
        return out.take();
    });
    std::vector<DrawnProcess> all;
    for (const Bytes &one : brought) {
        Reader in(one);
        all.push_back(get_drawn(in));
    }
    return draw_plan(body_.operations(), all);
}

PlanObject::Use::Use(PlanObject &plan) : plan_(plan) {
    if (plan.is_used_.exchange(true, std::memory_order_acquire))
        fail(DRI_ERR_STATE, "another thread uses the plan");
}

} // namespace dri::graph
