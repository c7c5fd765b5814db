// Sinks that miss frames: what they get is in order and whole, and who reads behind them sees the same gaps.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace dri::test {
namespace {

constexpr int64_t dropped_elements = 40;

int64_t number_in(const DRI_Call &call) {
    int64_t number = -1;
    std::memcpy(&number, call.about->data, sizeof number);
    return number;
}

// Process 0 makes frames, the next one shows some of them slowly and sends a number of each to the one after.
struct Watching {
    Group all = make_world();
    NamedGraph graph{all};
    int64_t frames = 0; // that the source makes
    int delay_us = 0;   // of the sink
    std::vector<int64_t> seen;
    int64_t wrong = 0;

    static int make(void *context, DRI_Call *call) {
        auto &own = *static_cast<Watching *>(context);
        std::fill_n(static_cast<double *>(call->out[0]), dropped_elements, static_cast<double>(call->frame));
        call->about->bytes = static_cast<int32_t>(sizeof call->frame);
        std::memcpy(call->about->data, &call->frame, sizeof call->frame);
        return call->frame == own.frames ? DRI_END_OF_STREAM : DRI_SUCCESS;
    }

    static int watch(void *context, DRI_Call *call) {
        auto &own = *static_cast<Watching *>(context);
        std::this_thread::sleep_for(std::chrono::microseconds(own.delay_us));
        const auto *const in = static_cast<const double *>(call->in[0]);
        for (int64_t i = 0; i < dropped_elements; ++i)
            own.wrong += in[i] != static_cast<double>(call->about->number);
        *static_cast<double *>(call->out[0]) = in[0];
        own.note(*call);
        return DRI_SUCCESS;
    }

    static int follow(void *context, DRI_Call *call) {
        auto &own = *static_cast<Watching *>(context);
        own.wrong += *static_cast<const double *>(call->in[0]) != static_cast<double>(call->about->number);
        own.note(*call);
        return DRI_SUCCESS;
    }

    void note(const DRI_Call &call) {
        wrong += call.frame != static_cast<int64_t>(seen.size()) || call.about->number != number_in(call);
        seen.push_back(call.about->number);
    }

    DRI_Node port(DRI_Role role, int rank) {
        DRI_Node node{};
        if (world().rank != rank)
            return node;
        const Dist dist =
            make_dist(make_gdo({dropped_elements}, DRI_DOUBLE), make_blocks(1, 0), make_group({rank}));
        if (role == DRI_SOURCE)
            expect_success(DRI_graph_source(graph.graph, "view", dist, DRI_ROW_MAJOR, &node), "DRI_graph_source");
        else
            expect_success(DRI_graph_sink(graph.graph, "view", dist, DRI_ROW_MAJOR, &node), "DRI_graph_sink");
        return node;
    }

    DRI_Node build() {
        const DRI_Node source = port(DRI_SOURCE, 0), sink = port(DRI_SINK, 1);
        if (world().rank == 0)
            expect_success(DRI_graph_call(graph.graph, "make", make, this, 1, &source, 0, nullptr),
                           "DRI_graph_call");
        if (world().rank == 1) {
            expect_success(DRI_graph_set_attr(graph.graph, sink, DRI_ATTR_ON_FULL, DRI_DROP),
                           "DRI_graph_set_attr");
            DRI_Node mean{};
            expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &mean), "DRI_graph_value");
            expect_success(DRI_graph_call(graph.graph, "watch", watch, this, 1, &mean, 1, &sink),
                           "DRI_graph_call");
            graph.nodes["mean"] = mean;
            graph.sizes["mean"] = 1;
            graph.output("mean", "mean");
            if (world().size > 2) {
                graph.send("s", "mean", 2, "mean");
                graph.output("s", "s");
            }
        }
        if (world().rank == 2) {
            graph.recv("mean", 1, "mean", 1);
            const DRI_Node mean = graph.node("mean");
            expect_success(DRI_graph_call(graph.graph, "follow", follow, this, 0, nullptr, 1, &mean),
                           "DRI_graph_call");
        }
        return sink;
    }
};

class GraphDropping : public testing::TestWithParam<int> {}; // frames in flight

TEST_P(GraphDropping, ASlowSinkMissesFrames) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    Watching own;
    own.frames = 400;
    own.delay_us = 500;
    own.build();
    const Plan plan = make_plan(own.graph.graph);
    commit_stream(plan, GetParam(), 20000);
    expect_success(DRI_plan_stream(plan, -1), "DRI_plan_stream");
    EXPECT_EQ(own.wrong, 0);
    if (world().rank == 1 || world().rank == 2) {
        EXPECT_FALSE(own.seen.empty());
        EXPECT_LT(own.seen.size(), static_cast<size_t>(own.frames)) << "nothing was missed";
        for (size_t i = 1; i < own.seen.size(); ++i)
            EXPECT_LT(own.seen[i - 1], own.seen[i]);
        EXPECT_LT(own.seen.back(), own.frames);
    }
    // What process 1 has seen, process 2 has seen.
    const int most = range_of(static_cast<int>(own.seen.size())).second;
    if (world().rank == 1 || world().rank == 2) {
        EXPECT_EQ(most, static_cast<int>(own.seen.size()));
    }
    EXPECT_EQ(DRI_plan_stream(plan, -1), world().rank < 3 ? DRI_END_OF_STREAM : DRI_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Frames, GraphDropping, testing::Values(1, 2, 4));

TEST(GraphDrops, NeedsAStream) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    Watching own;
    own.build();
    const Plan plan = make_plan(own.graph.graph);
    EXPECT_EQ(DRI_plan_commit(plan, nullptr), DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("'view'"), std::string::npos) << DRI_error_message();
    commit_stream(plan);
}

TEST(GraphDrops, NeedsToBeTheOnlyOneThatReceives) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    Watching own;
    own.build();
    if (world().rank == 0) {
        own.graph.data("x", {1});
        own.graph.send("x to 1", "x", 1, "other");
        own.graph.output("x to 1", "x to 1");
    } else if (world().rank == 1) {
        own.graph.recv("x", 0, "other", 1);
        own.graph.output("x", "x");
    }
    Plan plan;
    EXPECT_EQ(DRI_graph_partition(own.graph.graph, plan.out()), DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("'view'"), std::string::npos) << DRI_error_message();
}

} // namespace
} // namespace dri::test
