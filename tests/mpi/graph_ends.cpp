// Ends of streams that processes learn at different times.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <thread>

namespace dri::test {
namespace {

// Process 0 makes frames and sends them to process 1, which sends a constant to process 2. tells_both: process 0
// sends them to process 2, too.
class Relay {
public:
    Relay(int64_t frames, int delay_ms, const DRI_Plan_options &options, bool tells_both = false)
        : frames_(frames), delay_ms_(delay_ms), graph_(make_world()) {
        if (world().rank == 0) {
            graph_.call("made", 1, make, this);
            graph_.send("s", "made", 1, "made");
            graph_.output("s", "s");
            if (tells_both) {
                graph_.send("to 2", "made", 2, "made");
                graph_.output("to 2", "to 2");
            }
        } else if (world().rank == 1) {
            graph_.recv("made", 0, "made", 1);
            graph_.output("made", "made");
            graph_.data("constant", {7});
            graph_.send("s", "constant", 2, "constant");
            graph_.output("s", "s");
        } else if (world().rank == 2) {
            graph_.recv("constant", 1, "constant", 1);
            graph_.output("constant", "constant");
            if (tells_both) {
                graph_.recv("made", 0, "made", 1);
                graph_.output("made", "made");
            }
        }
        plan_ = make_plan(graph_.graph);
        expect_success(DRI_plan_commit(plan_, &options), "DRI_plan_commit");
    }

    DRI_Plan plan() const { return plan_; }
    // The code after waits that are repeated for as long as they time out.
    int stream(int tries) const {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT && tries-- > 0)
            code = DRI_plan_stream(plan_, -1);
        return code;
    }

private:
    static int make(void *context, DRI_Call *call) {
        const auto &relay = *static_cast<Relay *>(context);
        *static_cast<double *>(call->out[0]) = static_cast<double>(call->frame);
        if (call->frame < relay.frames_)
            return DRI_SUCCESS;
        std::this_thread::sleep_for(std::chrono::milliseconds(relay.delay_ms_));
        return DRI_END_OF_STREAM;
    }

    int64_t frames_;
    int delay_ms_;
    NamedGraph graph_;
    Plan plan_;
};

class GraphEnds : public testing::TestWithParam<int> {}; // frames in flight

// While the end is on its way to process 1, that one has sent younger frames to process 2.
TEST_P(GraphEnds, TheEndFollowsYoungerFrames) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const DRI_Plan_options options = stream_options(GetParam(), 2000);
    const Relay relay(3, 100, options);
    EXPECT_EQ(DRI_plan_stream(relay.plan(), -1), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_plan_stream(relay.plan(), -1), world().rank < 3 ? DRI_END_OF_STREAM : DRI_SUCCESS);
    barrier();
}

// Process 2 begins late, so there may be no buffer for the end. Where the wait for one times out depends on how
// many buffers are between the processes: some length of the stream makes it the wait of the end.
TEST_P(GraphEnds, TheEndIsToldAfterATimeout) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const DRI_Plan_options options = stream_options(GetParam(), 30);
    for (int64_t frames = 0; frames <= 2 * GetParam(); ++frames) {
        const Relay relay(frames, 0, options);
        if (world().rank < 2) {
            const int code = DRI_plan_stream(relay.plan(), -1);
            EXPECT_TRUE(code == DRI_SUCCESS || code == DRI_ERR_TIMEOUT) << code;
        }
        barrier();
        const int code = relay.stream(30);
        EXPECT_TRUE(code == DRI_SUCCESS || (world().rank < 2 && code == DRI_END_OF_STREAM))
            << frames << " frames: " << code << ' ' << DRI_error_message();
        barrier();
    }
}

// Outputs are those of the last frame that is done, although the call that ends the stream writes, too.
TEST_P(GraphEnds, OutputsOutliveTheEnd) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const DRI_Plan_options options = stream_options(GetParam(), 2000);
    for (const int64_t frames : {1, 2, 3, 6}) {
        const Relay relay(frames, 20, options);
        EXPECT_EQ(DRI_plan_stream(relay.plan(), -1), DRI_SUCCESS) << DRI_error_message();
        if (world().rank < 2) {
            const void *data = nullptr;
            expect_success(DRI_plan_get_output(relay.plan(), world().rank == 0 ? "s" : "made", &data),
                           "DRI_plan_get_output");
            EXPECT_EQ(*static_cast<const double *>(data), static_cast<double>(frames - 1));
        }
        barrier();
    }
}

// Process 2 learns of the end without process 1, and keeps its buffers. Process 1 tells it all the same, and is
// not held up until process 2 destroys its plan.
TEST_P(GraphEnds, OutputsHoldUpNobody) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const DRI_Plan_options options = stream_options(GetParam(), 3000);
    for (const int64_t frames : {0, 1, 2, 5}) {
        const Relay relay(frames, 20, options, true);
        EXPECT_EQ(DRI_plan_stream(relay.plan(), -1), DRI_SUCCESS) << DRI_error_message();
        if (world().rank < 3 && frames > 0) {
            const void *data = nullptr;
            const char *name = world().rank == 0 ? "s" : world().rank == 1 ? "made" : "constant";
            expect_success(DRI_plan_get_output(relay.plan(), name, &data), "DRI_plan_get_output");
            EXPECT_EQ(*static_cast<const double *>(data),
                      world().rank == 2 ? 7.0 : static_cast<double>(frames - 1));
        }
        barrier();
    }
}

// Process 1 fails in frame 2, while others may be ahead. It gets its code, and who waits for it is told who, what
// and when. Process 0 waits for nobody.
TEST_P(GraphEnds, ACallThatFailsEndsTheStream) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const auto make = [](void *, DRI_Call *call) -> int {
        *static_cast<double *>(call->out[0]) = static_cast<double>(call->frame);
        return call->frame < 6 ? DRI_SUCCESS : DRI_END_OF_STREAM;
    };
    const auto valve = [](void *, DRI_Call *call) -> int {
        *static_cast<double *>(call->out[0]) = *static_cast<const double *>(call->in[0]);
        return call->frame < 2 ? int{DRI_SUCCESS} : DRI_fail(DRI_ERR_LIMIT, "the valve is stuck");
    };
    struct Seen {
        int64_t frames = 0;
        static int run(void *context, DRI_Call *call) {
            Seen &seen = *static_cast<Seen *>(context);
            EXPECT_EQ(*static_cast<const double *>(call->in[0]), static_cast<double>(seen.frames++));
            return DRI_SUCCESS;
        }
    } seen;
    NamedGraph graph(make_world());
    const int rank = world().rank;
    if (rank == 1 || rank == 2)
        graph.recv("got", rank - 1, "on", 1);
    if (rank == 0)
        graph.call("made", 1, make);
    if (rank == 1)
        graph.call("made", 1, valve, nullptr, {"got"});
    if (rank < 2) {
        graph.send("sent", "made", rank + 1, "on");
        graph.output("sent", "sent");
    }
    if (rank == 2) {
        const DRI_Node got = graph.node("got");
        expect_success(DRI_graph_call(graph.graph, "seen", Seen::run, &seen, 0, nullptr, 1, &got),
                       "DRI_graph_call");
    }
    const Plan plan = make_plan(graph.graph);
    commit_stream(plan, GetParam(), 5000);
    const int code = DRI_plan_stream(plan, -1);
    const std::string message = DRI_error_message();
    if (rank == 0) {
        EXPECT_TRUE(code == DRI_SUCCESS || code == DRI_ERR_STATE) << message;
    } else if (rank < 3) {
        EXPECT_EQ(code, rank == 1 ? DRI_ERR_LIMIT : DRI_ERR_STATE) << message;
        for (const char *word : {"'made'", "frame 2", rank == 1 ? "stuck" : "process 1"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
        EXPECT_EQ(seen.frames, rank == 2 ? 2 : 0);
        EXPECT_EQ(DRI_plan_stream(plan, -1), DRI_ERR_STATE);
    }
    barrier();
}

// Process 0 ends the stream, and process 1 learns it from process 2 only: as sources of one transfer they would
// close it after different frames.
TEST(GraphLateEnd, IsRefusedOnAllProcesses) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const auto end = [](void *, DRI_Call *) -> int { return DRI_END_OF_STREAM; };
    const auto nothing = [](void *, DRI_Call *) -> int { return DRI_SUCCESS; };
    for (const bool is_stream : {true, false}) {
        NamedGraph graph(make_world());
        const auto fill = [&](const std::vector<DRI_Node> &in) {
            DRI_Node port{};
            const Dist dist = make_dist(make_gdo({2}, DRI_DOUBLE), make_blocks(1, 0), make_group({0, 1}));
            expect_success(DRI_graph_source(graph.graph, "both", dist, DRI_ROW_MAJOR, &port), "DRI_graph_source");
            expect_success(DRI_graph_call(graph.graph, "fill", nothing, nullptr, 1, &port,
                                          static_cast<int>(in.size()), in.data()),
                           "DRI_graph_call");
        };
        if (world().rank == 0) {
            graph.call("made", 1, end);
            graph.send("sent", "made", 2, "made");
            graph.output("sent", "sent");
            fill({graph.node("made")});
        } else if (world().rank == 1) {
            graph.data("constant", {7});
            fill({graph.node("constant")});
            graph.recv("behind", 2, "behind", 1);
            graph.output("behind", "behind");
        } else if (world().rank == 2) {
            graph.recv("made", 0, "made", 1);
            graph.send("sent", "made", 1, "behind");
            graph.output("sent", "sent");
            DRI_Node port{};
            const Dist dist = make_dist(make_gdo({2}, DRI_DOUBLE), make_blocks(1, 0), make_group({2}));
            expect_success(DRI_graph_sink(graph.graph, "both", dist, DRI_ROW_MAJOR, &port), "DRI_graph_sink");
            expect_success(DRI_graph_output(graph.graph, "both", port), "DRI_graph_output");
        }
        const Plan plan = make_plan(graph.graph);
        DRI_Plan_options options = stream_options();
        options.stream = is_stream;
        EXPECT_EQ(DRI_plan_commit(plan, &options), is_stream ? int{DRI_ERR_UNSUPPORTED} : int{DRI_SUCCESS});
        if (is_stream) {
            EXPECT_NE(std::string(DRI_error_message()).find("'both'"), std::string::npos) << DRI_error_message();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Frames, GraphEnds, testing::Values(1, 2, 4));

} // namespace
} // namespace dri::test
