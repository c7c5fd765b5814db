// Graphs that are wrong: every process is told, alike.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <utility>

namespace dri::test {
namespace {

int next_rank() { return (world().rank + 1) % world().size; }
int last_rank() { return (world().rank + world().size - 1) % world().size; }

int partition_code(DRI_Graph graph) {
    Plan plan;
    const int code = DRI_graph_partition(graph, plan.out());
    EXPECT_FALSE(plan && code != DRI_SUCCESS);
    EXPECT_EQ(range_of(code).first, range_of(code).second);
    return code;
}

TEST(GraphFaults, AMissingReceiveIsNamedOnAllProcesses) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    NamedGraph graph(make_world());
    graph.data("x", {1, 2});
    if (world().rank == 0) {
        graph.send("s", "x", 1, "lost");
        graph.output("s", "s");
    }
    EXPECT_EQ(partition_code(graph.graph), DRI_ERR_UNMATCHED);
    EXPECT_NE(std::string(DRI_error_message()).find("process 0 sends the operation (0, 1, 'lost')"),
              std::string::npos)
        << DRI_error_message();
    const auto faults = faults_now();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, DRI_FAULT_MISSING_RECV);
    EXPECT_EQ(faults[0].rank, 1);
    EXPECT_STREQ(faults[0].operation.tag, "lost");
    // The graph can be mended, and the faults are forgotten.
    if (world().rank == 1) {
        graph.recv("r", 0, "lost", 2);
        graph.output("r", "r");
    }
    EXPECT_EQ(partition_code(graph.graph), DRI_SUCCESS);
    EXPECT_TRUE(faults_now().empty());
}

TEST(GraphFaults, AValueThatNobodyWritesFailsEverywhere) {
    NamedGraph graph(make_world());
    if (world().rank == world().size - 1) {
        DRI_Node node{};
        expect_success(DRI_graph_value(graph.graph, make_gdo({3}, DRI_DOUBLE), &node), "DRI_graph_value");
        expect_success(DRI_graph_output(graph.graph, "empty", node), "DRI_graph_output");
    }
    EXPECT_EQ(partition_code(graph.graph), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("no call writes"), std::string::npos) << DRI_error_message();
}

TEST(GraphFaults, CallsOfOneProcessThatNeedEachOther) {
    NamedGraph graph(make_world());
    DRI_Node a{}, b{};
    expect_success(DRI_graph_value(graph.graph, make_gdo({3}, DRI_DOUBLE), &a), "DRI_graph_value");
    expect_success(DRI_graph_value(graph.graph, make_gdo({3}, DRI_DOUBLE), &b), "DRI_graph_value");
    Sum sum{3, 1, 0, 0};
    expect_success(DRI_graph_call(graph.graph, "first", Sum::run, &sum, 1, &a, 1, &b), "DRI_graph_call");
    expect_success(DRI_graph_call(graph.graph, "second", Sum::run, &sum, 1, &b, 1, &a), "DRI_graph_call");
    expect_success(DRI_graph_output(graph.graph, "a", a), "DRI_graph_output");
    EXPECT_EQ(partition_code(graph.graph), DRI_ERR_CYCLE);
}

TEST(GraphFaults, OperationsThatNeedEachOtherAreNamed) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    NamedGraph graph(make_world());
    if (world().rank < 2) {
        const int other = 1 - world().rank;
        graph.recv("got", other, "tag", 2);
        graph.send("sent", "got", other, "tag");
        graph.output("sent", "sent");
    }
    EXPECT_EQ(partition_code(graph.graph), DRI_ERR_CYCLE);
    const std::string message = DRI_error_message();
    for (const char *part : {"the operation (0, 1, 'tag') needs itself", "as does the operation (1, 0, 'tag')"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    const std::vector<DRI_Fault> faults = faults_now();
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[1].kind, DRI_FAULT_CYCLE);
    EXPECT_EQ(faults[1].operation.src, 1);
}

TEST(GraphFaults, NoHandleForAPlanFailsEverywhere) {
    NamedGraph graph(make_world());
    graph.data("x", {1});
    graph.output("x", "x");
    const bool is_wrong = world().rank == world().size - 1;
    Plan plan;
    EXPECT_EQ(DRI_graph_partition(graph.graph, is_wrong ? nullptr : plan.out()), DRI_ERR_ARG);
    EXPECT_FALSE(plan);
    const std::string message = DRI_error_message();
    for (const std::string &word : {"process " + std::to_string(world().size - 1), std::string("plan")})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(partition_code(graph.graph), DRI_SUCCESS) << "the graph stays open";
}

TEST(GraphFaults, SendsToOneself) {
    NamedGraph graph(make_world());
    graph.data("x", {1});
    graph.send("s", "x", world().rank, "own");
    graph.output("s", "s");
    EXPECT_EQ(partition_code(graph.graph), DRI_ERR_UNSUPPORTED);
    EXPECT_EQ(faults_now().size(), static_cast<size_t>(world().size));
}

TEST(GraphFaults, LocalCalls) {
    NamedGraph graph(make_world());
    NamedGraph other(make_world());
    graph.data("x", {1, 2});
    other.data("x", {1, 2});
    graph.send("s", "x", world().rank, "tag");
    graph.input("i", "given", 2);
    graph.sum("y", {"x"}, {});
    const Gdo shape = make_gdo({2}, DRI_DOUBLE);
    DRI_Node node{}, fresh{};
    expect_success(DRI_graph_value(graph.graph, shape, &fresh), "DRI_graph_value");
    const DRI_Node x = graph.node("x"), y = graph.node("y"), s = graph.node("s"), strange = other.node("x");
    const auto call = [&](DRI_Node out, DRI_Node in) {
        return [&graph, out, in] {
            static Sum sum;
            return DRI_graph_call(graph.graph, "call", Sum::run, &sum, 1, &out, 1, &in);
        };
    };
    expect_refused({
        {"a node of another graph",
         call(fresh, strange),
         DRI_ERR_ARG,
         {"DRI_graph_call", "no node of this graph"}},
        {"a value that is written", call(y, x), DRI_ERR_ARG, {"writes already"}},
        {"a constant as output", call(x, y), DRI_ERR_ARG, {"neither a value nor a source"}},
        {"a send as input", call(fresh, s), DRI_ERR_ARG, {"send"}},
        {"a second input of a name",
         [&] { return DRI_graph_input(graph.graph, "given", shape, &node); },
         DRI_ERR_DUPLICATE,
         {"given"}},
        {"a rank outside the group",
         [&] { return DRI_graph_recv(graph.graph, world().size, "t", shape, &node); },
         DRI_ERR_ARG,
         {"not in the graph's group"}},
        {"an empty tag", [&] { return DRI_graph_recv(graph.graph, 0, "", shape, &node); }, DRI_ERR_ARG, {"tag"}},
        {"a staple of no send",
         [&] { return DRI_graph_staple(graph.graph, x, y, &node); },
         DRI_ERR_ARG,
         {"DRI_graph_send"}},
        {"an attribute of no port",
         [&] { return DRI_graph_set_attr(graph.graph, x, DRI_ATTR_CONVERT, 1); },
         DRI_ERR_ARG,
         {"no port"}},
        {"a null graph", [&] { return DRI_graph_value({}, shape, &node); }, DRI_ERR_HANDLE, {"graph handle"}},
    });
}

TEST(GraphFaults, PlansOutOfOrder) {
    NamedGraph graph(make_world());
    graph.input("i", "given", 2);
    graph.output("o", "i");
    const Plan plan = make_plan(graph.graph);
    const void *data = nullptr;
    DRI_Node node{};
    expect_refused({
        {"a run before the commit", [&] { return DRI_plan_run(plan); }, DRI_ERR_STATE, {"not committed"}},
        {"a closed graph",
         [&] { return DRI_graph_value(graph.graph, make_gdo({1}), &node); },
         DRI_ERR_STATE,
         {"partitioned"}},
    });
    DRI_Plan_options options{};
    options.frames = 2000;
    EXPECT_EQ(DRI_plan_commit(plan, &options), DRI_ERR_ARG);
    options.frames = 1 + (world().rank == 0);
    EXPECT_EQ(DRI_plan_commit(plan, &options), world().size > 1 ? DRI_ERR_MISMATCH : DRI_SUCCESS);
    if (world().size > 1)
        expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    EXPECT_EQ(DRI_plan_commit(plan, nullptr), DRI_ERR_STATE);
    expect_refused({
        {"an input without data", [&] { return DRI_plan_run(plan); }, DRI_ERR_STATE, {"'given'"}},
        {"no such input", [&] { return DRI_plan_set_input(plan, "x", &data); }, DRI_ERR_ARG, {"'x'"}},
        {"no frame", [&] { return DRI_plan_get_output(plan, "o", &data); }, DRI_ERR_STATE, {"no frame"}},
        {"no stream", [&] { return DRI_plan_stream(plan, 1); }, DRI_ERR_STATE, {"no stream"}},
        {"no part",
         [&] {
             DRI_Part_times t;
             return DRI_plan_get_times(plan, 1, &t);
         },
         DRI_ERR_ARG,
         {"pid"}},
    });
}

int failing(void *context, DRI_Call *call) {
    const int last = *static_cast<int *>(context);
    static_cast<double *>(call->out[0])[0] = static_cast<double>(call->frame);
    return call->frame == last ? DRI_fail(DRI_ERR_LIMIT, "the valve is stuck") : static_cast<int>(DRI_SUCCESS);
}

// Counts what reaches the error handler.
class CountedFailures {
public:
    CountedFailures() { DRI_set_error_handler(count, this); }
    CountedFailures(const CountedFailures &) = delete;
    CountedFailures &operator=(const CountedFailures &) = delete;
    ~CountedFailures() { DRI_set_error_handler(nullptr, nullptr); }
    int take() { return std::exchange(count_, 0); }

private:
    static void count(int, const char *, void *context) { ++static_cast<CountedFailures *>(context)->count_; }
    int count_ = 0;
};

// Around the ring, each process adds to what the last one has. One call fails in frame 2.
TEST(GraphFaults, ACallThatFailsEndsAllRuns) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    NamedGraph graph(make_world());
    int last = 2;
    if (world().rank == 0) {
        DRI_Node value{};
        expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &value), "DRI_graph_value");
        expect_success(DRI_graph_call(graph.graph, "valve", failing, &last, 1, &value, 0, nullptr),
                       "DRI_graph_call");
        graph.nodes["y"] = value;
        graph.sizes["y"] = 1;
    } else {
        graph.recv("x", last_rank(), "on", 1);
        graph.sum("y", {"x"}, {0, 1, 1, 0});
    }
    if (next_rank() != 0) {
        graph.send("s", "y", next_rank(), "on");
        graph.output("s", "s");
    }
    graph.output("y", "y");
    const Plan plan = make_plan(graph.graph);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    for (int frame = 0; frame < 2; ++frame) {
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        const void *data = nullptr;
        expect_success(DRI_plan_get_output(plan, "y", &data), "DRI_plan_get_output");
        EXPECT_EQ(*static_cast<const double *>(data), frame + world().rank);
    }
    CountedFailures failures;
    EXPECT_EQ(DRI_plan_run(plan), world().rank == 0 ? DRI_ERR_LIMIT : DRI_ERR_STATE);
    EXPECT_EQ(failures.take(), 1);
    const std::string message = DRI_error_message();
    for (const char *word : {"valve", "frame 2", world().rank == 0 ? "stuck" : "process 0"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(DRI_plan_run(plan), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("broken"), std::string::npos);
}

// A code without a report has the code's own text, not what an earlier failure left behind.
TEST(GraphFaults, ACallThatFailsWithoutAWord) {
    NamedGraph graph(make_world());
    DRI_Node value{};
    const auto fail = [](void *, DRI_Call *) -> int { return DRI_ERR_LIMIT; };
    expect_success(DRI_graph_value(graph.graph, make_gdo({1}, DRI_DOUBLE), &value), "DRI_graph_value");
    expect_success(DRI_graph_call(graph.graph, "mute", fail, nullptr, 1, &value, 0, nullptr), "DRI_graph_call");
    expect_success(DRI_graph_output(graph.graph, "o", value), "DRI_graph_output");
    const Plan plan = make_plan(graph.graph);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    DRI_fail(DRI_ERR_ARG, "an old story");
    EXPECT_EQ(DRI_plan_run(plan), DRI_ERR_LIMIT);
    const std::string message = DRI_error_message();
    EXPECT_EQ(message.find("story"), std::string::npos) << message;
    EXPECT_NE(message.find("'mute'"), std::string::npos) << message;
}

// What is refused on all processes together is told once, too.
TEST(GraphFaults, AFaultIsToldOnce) {
    NamedGraph graph(make_world());
    DRI_Node node{};
    if (world().rank == 0) {
        expect_success(DRI_graph_value(graph.graph, make_gdo({3}, DRI_DOUBLE), &node), "DRI_graph_value");
        expect_success(DRI_graph_output(graph.graph, "empty", node), "DRI_graph_output");
    }
    CountedFailures failures;
    Plan plan;
    EXPECT_EQ(DRI_graph_partition(graph.graph, plan.out()), DRI_ERR_ARG);
    EXPECT_EQ(failures.take(), 1);
}

TEST(GraphFaults, AWaitWithATimeoutGoesOn) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    NamedGraph graph(make_world());
    if (world().rank == 0) {
        graph.data("x", {5});
        graph.sum("y", {"x"}, {});
        graph.send("s", "y", 1, "late");
        graph.output("s", "s");
    } else if (world().rank == 1) {
        graph.recv("r", 0, "late", 1);
        graph.output("r", "r");
    }
    const Plan plan = make_plan(graph.graph);
    DRI_Plan_options options{};
    options.timeout_ms = 50;
    expect_success(DRI_plan_commit(plan, &options), "DRI_plan_commit");
    if (world().rank == 1) {
        CountedFailures failures;
        EXPECT_EQ(DRI_plan_run(plan), DRI_ERR_TIMEOUT);
        EXPECT_EQ(failures.take(), 1);
        const std::string message = DRI_error_message();
        for (const char *word : {"'late'", "frame 0", "process 0"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
    }
    barrier();
    int code = DRI_plan_run(plan);
    for (int tries = 0; code == DRI_ERR_TIMEOUT && tries < 100; ++tries)
        code = DRI_plan_run(plan);
    expect_success(code, "DRI_plan_run");
    if (world().rank == 1) {
        const void *data = nullptr;
        expect_success(DRI_plan_get_output(plan, "r", &data), "DRI_plan_get_output");
        EXPECT_EQ(*static_cast<const double *>(data), 5);
        DRI_Part_times times{};
        expect_success(DRI_plan_get_times(plan, 0, &times), "DRI_plan_get_times");
        EXPECT_EQ(times.frames, 1);
        EXPECT_GE(times.total_wait, 0.045) << "the wait that timed out counts";
        EXPECT_GE(times.longest_seconds, 0.045);
    }
}

} // namespace
} // namespace dri::test
