// Ports of whole transfers, streams with several frames in flight, and their ends.
#include "support/allocation_counter.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <atomic>
#include <cstring>
#include <thread>

namespace dri::test {
namespace {

constexpr int64_t turn_rows = 12, turn_columns = 9;

double element(int64_t frame, int64_t row, int64_t column) {
    return static_cast<double>(1000 * frame + 20 * row + column);
}

// A corner turn as a graph: rows are made, columns are checked and summed, and the first process shows the sums.
struct Turn {
    Group all = make_world();
    Dist by_rows = make_dist(make_gdo({turn_rows, turn_columns}, DRI_DOUBLE), make_blocks(2, 0), all);
    Dist by_columns = make_dist(make_gdo({turn_rows, turn_columns}, DRI_DOUBLE), make_blocks(2, 1), all);
    NamedGraph graph{all};
    int64_t frames = 0; // that the source makes
    int delay_us = 0;   // of some calls
    int64_t checked = 0, shown = 0, wrong = 0, wrong_text = 0;
    double total = 0;

    DRI_Part_tuple part(DRI_Dist dist, int dim) const {
        DRI_Part_tuple tuples[2];
        expect_success(DRI_dist_get_part(dist, world().rank, tuples), "DRI_dist_get_part");
        return tuples[dim];
    }

    static int make_rows(void *context, DRI_Call *call) {
        auto &turn = *static_cast<Turn *>(context);
        if (call->frame == turn.frames)
            return DRI_END_OF_STREAM;
        const DRI_Part_tuple own = turn.part(turn.by_rows, 0);
        auto *out = static_cast<double *>(call->out[0]);
        for (int64_t row = own.left_x; row < own.right_x; ++row)
            for (int64_t column = 0; column < turn_columns; ++column)
                *out++ = element(call->frame, row, column);
        call->about->bytes = static_cast<int32_t>(sizeof call->frame);
        std::memcpy(call->about->data, &call->frame, sizeof call->frame);
        return DRI_SUCCESS;
    }

    static int sum_columns(void *context, DRI_Call *call) {
        auto &turn = *static_cast<Turn *>(context);
        if (turn.delay_us && call->frame % 3 == world().rank % 3)
            std::this_thread::sleep_for(std::chrono::microseconds(turn.delay_us));
        const DRI_Part_tuple own = turn.part(turn.by_columns, 1);
        const auto *in = static_cast<const double *>(call->in[0]);
        double sum = 0;
        for (int64_t row = 0; row < turn_rows; ++row)
            for (int64_t column = own.left_x; column < own.right_x; ++column) {
                turn.wrong += *in != element(call->frame, row, column);
                sum += *in++;
            }
        *static_cast<double *>(call->out[0]) = sum;
        ++turn.checked;
        turn.check_text(*call);
        return DRI_SUCCESS;
    }

    static int show(void *context, DRI_Call *call) {
        auto &turn = *static_cast<Turn *>(context);
        double sum = 0, expected = 0;
        for (int k = 0; k < call->nin; ++k)
            sum += *static_cast<const double *>(call->in[k]);
        for (int64_t row = 0; row < turn_rows; ++row)
            for (int64_t column = 0; column < turn_columns; ++column)
                expected += element(call->frame, row, column);
        turn.wrong += sum != expected;
        ++turn.shown;
        turn.check_text(*call);
        return DRI_SUCCESS;
    }

    void check_text(const DRI_Call &call) {
        int64_t frame = -1;
        std::memcpy(&frame, call.about->data, sizeof frame);
        wrong_text += frame != call.frame || call.about->number != call.frame ||
                      call.about->bytes != int32_t{sizeof frame} || call.about->time_ns == 0;
    }

    void build() {
        DRI_Node source{}, sink{}, sum{};
        expect_success(DRI_graph_source(graph.graph, "turn", by_rows, DRI_ROW_MAJOR, &source), "DRI_graph_source");
        expect_success(DRI_graph_sink(graph.graph, "turn", by_columns, DRI_ROW_MAJOR, &sink), "DRI_graph_sink");
        expect_success(DRI_graph_call(graph.graph, "make", make_rows, this, 1, &source, 0, nullptr),
                       "DRI_graph_call");
        expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &sum), "DRI_graph_value");
        expect_success(DRI_graph_call(graph.graph, "sum", sum_columns, this, 1, &sum, 1, &sink), "DRI_graph_call");
        graph.nodes["sum"] = sum;
        graph.sizes["sum"] = 1;
        graph.output("sum", "sum");
        if (world().rank > 0) {
            graph.send("s", "sum", 0, "sum");
            graph.output("kept", "s");
            return;
        }
        std::vector<DRI_Node> sums{sum};
        for (int rank = 1; rank < world().size; ++rank) {
            const std::string name = "sum of " + std::to_string(rank);
            graph.recv(name, rank, "sum", 1);
            sums.push_back(graph.node(name));
        }
        expect_success(DRI_graph_call(graph.graph, "show", show, this, 0, nullptr, static_cast<int>(sums.size()),
                                      sums.data()),
                       "DRI_graph_call");
    }
};

class GraphStreams : public testing::TestWithParam<int> {}; // frames in flight

TEST_P(GraphStreams, ACornerTurnUntilTheInputEnds) {
    Turn turn;
    turn.frames = 40;
    turn.delay_us = 500;
    turn.build();
    const Plan plan = make_plan(turn.graph.graph);
    commit_stream(plan, GetParam());
    expect_success(DRI_plan_stream(plan, 7), "DRI_plan_stream");
    EXPECT_EQ(turn.checked, 7);
    expect_success(DRI_plan_run(plan), "DRI_plan_run");
    expect_success(DRI_plan_stream(plan, -1), "DRI_plan_stream");
    EXPECT_EQ(turn.checked, turn.frames);
    EXPECT_EQ(turn.shown, world().rank == 0 ? turn.frames : 0);
    EXPECT_EQ(turn.wrong, 0);
    EXPECT_EQ(turn.wrong_text, 0);
    EXPECT_EQ(DRI_plan_stream(plan, -1), DRI_END_OF_STREAM);
    EXPECT_EQ(DRI_plan_run(plan), DRI_END_OF_STREAM);
    DRI_Part_times times{};
    expect_success(DRI_plan_get_times(plan, 0, &times), "DRI_plan_get_times");
    EXPECT_EQ(times.frames, turn.frames);
    EXPECT_LE(times.call_seconds.p50, times.call_seconds.max);
}

TEST_P(GraphStreams, FramesAllocateNothing) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    Turn turn;
    turn.frames = 1000;
    turn.build();
    const Plan plan = make_plan(turn.graph.graph);
    commit_stream(plan, GetParam());
    expect_success(DRI_plan_stream(plan, 3), "DRI_plan_stream");
    int code = DRI_SUCCESS;
    EXPECT_EQ(allocations_of([&] {
                  code = DRI_plan_stream(plan, 100);
                  for (int frame = 0; frame < 100; ++frame)
                      code += DRI_plan_run(plan);
              }),
              0);
    EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(turn.checked, 203);
    barrier();
}

TEST_P(GraphStreams, ProcessesThatEndAfterDifferentFrames) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    struct Input {
        int64_t frames;
        static int run(void *context, DRI_Call *call) {
            *static_cast<double *>(call->out[0]) = 1;
            return call->frame == static_cast<Input *>(context)->frames ? DRI_END_OF_STREAM : DRI_SUCCESS;
        }
    } input{5 + world().rank};
    NamedGraph graph(make_world());
    const int n = world().size;
    if (world().rank < 2) {
        DRI_Node value{};
        expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &value), "DRI_graph_value");
        expect_success(DRI_graph_call(graph.graph, "input", Input::run, &input, 1, &value, 0, nullptr),
                       "DRI_graph_call");
        graph.nodes["x"] = value;
        graph.sizes["x"] = 1;
        if (world().rank != n - 1) {
            graph.send("s", "x", n - 1, "x");
            graph.output("s", "s");
        } else {
            graph.output("x", "x");
        }
    }
    if (world().rank == n - 1)
        for (int from = 0; from < std::min(2, n - 1); ++from) {
            const std::string name = "from " + std::to_string(from);
            graph.recv(name, from, "x", 1);
            graph.output(name, name);
        }
    const Plan plan = make_plan(graph.graph);
    commit_stream(plan, GetParam());
    const int code = DRI_plan_stream(plan, -1);
    if (world().rank == n - 1) {
        EXPECT_EQ(code, DRI_ERR_MISMATCH);
        const std::string message = DRI_error_message();
        for (const char *word : {"process 0", "process 1", "frame 5"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
    } else if (world().rank > 0) {
        EXPECT_TRUE(code == DRI_SUCCESS || code == DRI_ERR_STATE) << code;
    }
}

// Process 0 asks and process 1 answers: with two frames in flight, the next question is asked before.
TEST_P(GraphStreams, RoundTrips) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    static constexpr int64_t frames = 30;
    struct Input {
        static int run(void *, DRI_Call *call) {
            *static_cast<double *>(call->out[0]) = static_cast<double>(call->frame);
            return call->frame == frames ? DRI_END_OF_STREAM : DRI_SUCCESS;
        }
    };
    struct Check {
        int64_t good = 0;
        static int run(void *context, DRI_Call *call) {
            static_cast<Check *>(context)->good +=
                *static_cast<const double *>(call->in[0]) == 2.0 * static_cast<double>(call->frame) + 1;
            return DRI_SUCCESS;
        }
    } check;
    NamedGraph graph(make_world());
    if (world().rank == 0) {
        DRI_Node question{};
        expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &question), "DRI_graph_value");
        expect_success(DRI_graph_call(graph.graph, "ask", Input::run, nullptr, 1, &question, 0, nullptr),
                       "DRI_graph_call");
        graph.nodes["question"] = question;
        graph.sizes["question"] = 1;
        graph.send("s", "question", 1, "question");
        graph.output("s", "s");
        graph.recv("answer", 1, "answer", 1);
        const DRI_Node answer = graph.node("answer");
        expect_success(DRI_graph_call(graph.graph, "check", Check::run, &check, 0, nullptr, 1, &answer),
                       "DRI_graph_call");
    } else if (world().rank == 1) {
        graph.recv("question", 0, "question", 1);
        graph.sum("answer", {"question"}, {0, 2, 1, 200});
        graph.send("s", "answer", 0, "answer");
        graph.output("s", "s");
    }
    const Plan plan = make_plan(graph.graph);
    commit_stream(plan, GetParam());
    expect_success(DRI_plan_stream(plan, -1), "DRI_plan_stream");
    EXPECT_EQ(check.good, world().rank == 0 ? frames : 0);
}

INSTANTIATE_TEST_SUITE_P(Frames, GraphStreams, testing::Values(1, 2, 4));

TEST(GraphDrawing, ShowsPartsAndArrows) {
    Turn turn;
    turn.frames = 3;
    turn.build();
    const Plan plan = make_plan(turn.graph.graph);
    DRI_Plan_options options{};
    options.stream = 1;
    const auto drawn = [&] {
        size_t needed = 0, again = 0;
        expect_success(DRI_plan_draw(plan, nullptr, 0, &needed), "DRI_plan_draw");
        std::string text(needed, '?');
        expect_success(DRI_plan_draw(plan, text.data(), needed, &again), "DRI_plan_draw");
        EXPECT_EQ(again, needed);
        EXPECT_EQ(text.back(), '\0');
        text.pop_back();
        return text;
    };
    const std::string before = drawn();
    EXPECT_EQ(before.find("slowest"), std::string::npos);
    for (const char *word :
         {"digraph plan {", "label=\"process 0\"", "make", "p0_0 -> p0_1 [label=\"turn\\n864 bytes\\n"})
        EXPECT_NE(before.find(word), std::string::npos) << before;
    if (world().size > 1) {
        EXPECT_NE(before.find("p1_1 -> p0_2 [label=\"sum\\n8 bytes\"]"), std::string::npos) << before;
    }
    expect_success(DRI_plan_commit(plan, &options), "DRI_plan_commit");
    expect_success(DRI_plan_stream(plan, -1), "DRI_plan_stream");
    const std::string after = drawn();
    EXPECT_NE(after.find("the slowest"), std::string::npos) << after;
    unsigned sum = 0;
    for (const char letter : after)
        sum = 31 * sum + static_cast<unsigned char>(letter);
    const auto [least, most] = range_of(static_cast<int>(sum >> 1));
    EXPECT_EQ(least, most) << "the processes have other texts";
    EXPECT_EQ(DRI_plan_draw(plan, nullptr, world().rank == 0 ? 5 : 0, nullptr), DRI_ERR_ARG);
}

TEST(GraphPorts, AMissingSinkIsNamed) {
    Turn turn;
    DRI_Node source{}, sink{};
    expect_success(DRI_graph_source(turn.graph.graph, "turn", turn.by_rows, DRI_ROW_MAJOR, &source),
                   "DRI_graph_source");
    expect_success(DRI_graph_call(turn.graph.graph, "make", Turn::make_rows, &turn, 1, &source, 0, nullptr),
                   "DRI_graph_call");
    if (world().rank != world().size - 1) {
        expect_success(DRI_graph_sink(turn.graph.graph, "turn", turn.by_columns, DRI_ROW_MAJOR, &sink),
                       "DRI_graph_sink");
        expect_success(DRI_graph_output(turn.graph.graph, "columns", sink), "DRI_graph_output");
    }
    Plan plan;
    EXPECT_EQ(DRI_graph_partition(turn.graph.graph, plan.out()), DRI_ERR_UNMATCHED);
    EXPECT_NE(std::string(DRI_error_message()).find("'turn' has no sink"), std::string::npos)
        << DRI_error_message();
    EXPECT_EQ(DRI_graph_set_attr(turn.graph.graph, source, DRI_ATTR_STREAM, 1), DRI_ERR_UNSUPPORTED);
    EXPECT_EQ(DRI_graph_set_attr(turn.graph.graph, source, DRI_ATTR_CONVERT, 1), DRI_ERR_ARG) << "a sink's";
}

// Two sinks of a name on one group, or on groups that begin with the same process: each is counted.
TEST(GraphPorts, AMissingSinkOfTwoIsNamed) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    const int last = world().size - 1;
    for (const bool is_same_group : {true, false}) {
        Turn turn;
        Dist first; // of process 0 alone
        if (world().rank == 0)
            first = make_dist(make_gdo({turn_rows, turn_columns}, DRI_DOUBLE), make_blocks(2, 1), make_group({0}));
        NamedGraph graph(turn.all);
        DRI_Node source{}, sink{}, other{};
        expect_success(DRI_graph_source(graph.graph, "turn", turn.by_rows, DRI_ROW_MAJOR, &source),
                       "DRI_graph_source");
        expect_success(DRI_graph_call(graph.graph, "make", Turn::make_rows, &turn, 1, &source, 0, nullptr),
                       "DRI_graph_call");
        if (is_same_group || world().rank == 0) {
            expect_success(
                DRI_graph_sink(graph.graph, "turn", is_same_group ? turn.by_columns : first, DRI_ROW_MAJOR, &sink),
                "DRI_graph_sink");
            expect_success(DRI_graph_output(graph.graph, "one", sink), "DRI_graph_output");
        }
        if (world().rank != last) {
            expect_success(DRI_graph_sink(graph.graph, "turn", turn.by_columns, DRI_COL_MAJOR, &other),
                           "DRI_graph_sink");
            expect_success(DRI_graph_output(graph.graph, "two", other), "DRI_graph_output");
        }
        Plan plan;
        EXPECT_EQ(DRI_graph_partition(graph.graph, plan.out()), DRI_ERR_UNMATCHED) << is_same_group;
        const auto faults = faults_now();
        ASSERT_EQ(faults.size(), 1u);
        EXPECT_EQ(faults[0].kind, DRI_FAULT_MISSING_RECV);
        EXPECT_EQ(faults[0].rank, last);
    }
}

} // namespace
} // namespace dri::test
