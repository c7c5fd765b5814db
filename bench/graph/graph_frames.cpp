#include "graph_frames.hpp"

#include "median.hpp"
#include "world.hpp"

#include <dri/dri.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One addition: what a function costs at least.
int add_one(void *, DRI_Call *call) {
    *static_cast<double *>(call->out[0]) = *static_cast<const double *>(call->in[0]) + 1;
    return DRI_SUCCESS;
}

int begin_with(void *, DRI_Call *call) {
    *static_cast<double *>(call->out[0]) = static_cast<double>(call->frame);
    return DRI_SUCCESS;
}

// A graph of scalars on the calling process, with the others of its group.
class Scalars {
public:
    explicit Scalars(DRI_Group group) {
        const int64_t one = 1;
        check(DRI_gdo_create(1, DRI_DOUBLE, &one, &shape_));
        check(DRI_graph_create(group, &graph_));
    }
    Scalars(const Scalars &) = delete;
    Scalars &operator=(const Scalars &) = delete;
    ~Scalars() {
        DRI_plan_destroy(&plan_);
        DRI_graph_destroy(&graph_);
        DRI_gdo_destroy(&shape_);
    }

    DRI_Node call(DRI_Call_fn fn, void *context, std::vector<DRI_Node> in) {
        DRI_Node made{};
        check(DRI_graph_value(graph_, shape_, &made));
        check(DRI_graph_call(graph_, "call", fn, context, 1, &made, static_cast<int>(in.size()), in.data()));
        return made;
    }
    DRI_Node recv(int from, const char *tag) {
        DRI_Node made{};
        check(DRI_graph_recv(graph_, from, tag, shape_, &made));
        return made;
    }
    void send(DRI_Node node, int to, const char *tag) {
        DRI_Node send{};
        check(DRI_graph_send(graph_, node, to, tag, &send));
        output(tag, send);
    }
    void output(const char *name, DRI_Node node) { check(DRI_graph_output(graph_, name, node)); }
    DRI_Plan commit(int frames, bool stream) {
        DRI_Plan_options options{};
        options.frames = frames;
        options.stream = stream;
        check(DRI_graph_partition(graph_, &plan_));
        check(DRI_plan_commit(plan_, &options));
        return plan_;
    }

private:
    DRI_Gdo shape_{};
    DRI_Graph graph_{};
    DRI_Plan plan_{};
};

// The functions of a chain without a plan. The pointers lie as the plan's do.
double chain_by_hand(int calls, int64_t frames) {
    std::vector<double> values(static_cast<size_t>(calls) + 1);
    const auto start = Clock::now();
    for (int64_t frame = 0; frame < frames; ++frame) {
        DRI_Frame about{};
        for (int i = 0; i <= calls; ++i) {
            void *const out = &values[static_cast<size_t>(i)];
            const void *const in = i > 0 ? &values[static_cast<size_t>(i) - 1] : nullptr;
            DRI_Call call{frame, &about, 1, i > 0, &out, &in, {}};
            DRI_Call_fn volatile fn = i > 0 ? add_one : begin_with;
            check(fn(nullptr, &call));
        }
    }
    return since(start) / static_cast<double>(frames);
}

double time_frames(DRI_Plan plan, int64_t frames) {
    const auto start = Clock::now();
    for (int64_t frame = 0; frame < frames; ++frame)
        check(DRI_plan_run(plan));
    return since(start) / static_cast<double>(frames);
}

// Work that takes a time on whatever machine.
int work(void *context, DRI_Call *call) {
    const std::chrono::microseconds time(*static_cast<int *>(context));
    for (const auto start = Clock::now(); Clock::now() - start < time;) {
    }
    *static_cast<double *>(call->out[0]) = call->nin > 0 ? *static_cast<const double *>(call->in[0]) : 0;
    return DRI_SUCCESS;
}

// Process 0 computes, process 1 computes on, and process 0 takes the answer.
DRI_Plan round_trip(Scalars &scalars, int &work_us, int frames) {
    if (world().rank == 0) {
        scalars.send(scalars.call(work, &work_us, {}), 1, "there");
        scalars.output("answer", scalars.recv(1, "back"));
    } else if (world().rank == 1) {
        scalars.send(scalars.call(work, &work_us, {scalars.recv(0, "there")}), 0, "back");
    }
    return scalars.commit(frames, true);
}

double time_stream(DRI_Plan plan, int64_t frames) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    check(DRI_plan_stream(plan, frames));
    return greatest(since(start)) / static_cast<double>(frames);
}

} // namespace

void time_chain(int calls, double seconds, int repetitions) {
    const int own = world().rank;
    DRI_Group group{};
    check(DRI_group_create(1, &own, &group));
    {
        Scalars scalars(group);
        DRI_Node last = scalars.call(begin_with, nullptr, {});
        for (int i = 0; i < calls; ++i)
            last = scalars.call(add_one, nullptr, {last});
        scalars.output("last", last);
        const DRI_Plan plan = scalars.commit(1, false);
        const int64_t frames =
            from_first(std::max<int64_t>(100, static_cast<int64_t>(seconds / time_frames(plan, 100))));
        std::vector<double> ours, theirs, more;
        for (int i = 0; i < repetitions; ++i) {
            ours.push_back(time_frames(plan, frames));
            theirs.push_back(chain_by_hand(calls, frames));
            more.push_back(ours.back() - theirs.back());
        }
        const void *value = nullptr;
        check(DRI_plan_get_output(plan, "last", &value));
        if (*static_cast<const double *>(value) != static_cast<double>(99 + frames * repetitions + calls))
            throw std::runtime_error("a chain has computed a wrong value");
        if (world().rank == 0)
            std::printf("\na chain of %d calls on one process: %.3f us a call, by hand %.3f us, so %.3f us more\n",
                        calls, 1e6 * median(ours) / calls, 1e6 * median(theirs) / calls,
                        1e6 * median(more) / calls);
    }
    DRI_group_destroy(&group);
}

void time_round_trip(int work_us, double seconds, int repetitions) {
    DRI_Group all{};
    check(DRI_group_create_world(&all));
    {
        Scalars one(all), two(all);
        const DRI_Plan single = round_trip(one, work_us, 1), both = round_trip(two, work_us, 2);
        const int64_t frames = std::max<int64_t>(100, static_cast<int64_t>(seconds * 1e6 / (2 * work_us)));
        std::vector<double> slow, fast, ratios;
        for (int i = 0; i < repetitions; ++i) {
            slow.push_back(time_stream(single, frames));
            fast.push_back(time_stream(both, frames));
            ratios.push_back(slow.back() / fast.back());
        }
        if (world().rank == 0)
            std::printf(
                "a round trip with %d us at each process: %.1f us a frame, %.1f us with 2 in flight, %.2f times "
                "the frames\n",
                work_us, 1e6 * median(slow), 1e6 * median(fast), median(ratios));
    }
    DRI_group_destroy(&all);
}

} // namespace bench
