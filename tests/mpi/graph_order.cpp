// The order of steps. Calls of two processes wait for each other by messages beside the plan: each
// comes in time only if the plan takes its steps in the order that is promised.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace dri::test {
namespace {

constexpr size_t long_array = 4000; // longer than what shares a message
constexpr int early_tag = 31'001, first_tag = 31'002, ahead_tag = 31'003;

void send_token(int to, int tag) { PMPI_Send(nullptr, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD); }

// Whether a token comes before it is too late.
bool token_comes(int from, int tag) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int is_there = 0;
    while (std::chrono::steady_clock::now() < deadline) {
        PMPI_Iprobe(from, tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        if (is_there)
            break;
        std::this_thread::yield();
    }
    if (is_there)
        PMPI_Recv(nullptr, 0, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return is_there != 0;
}

double *out_of(DRI_Call *call) { return static_cast<double *>(call->out[0]); }
const double *in_of(const DRI_Call *call) { return static_cast<const double *>(call->in[0]); }

struct Order {
    bool is_early_in_time = true, is_first_in_time = true;

    // Process 0: needs nothing that its part receives.
    static int early(void *, DRI_Call *call) {
        send_token(1, early_tag);
        out_of(call)[0] = 1;
        return DRI_SUCCESS;
    }
    // Process 0: reads the first of two receives.
    static int first(void *, DRI_Call *call) {
        send_token(1, first_tag);
        out_of(call)[0] = in_of(call)[long_array - 1];
        return DRI_SUCCESS;
    }
    // Process 1: makes what is received first.
    static int make(void *context, DRI_Call *call) {
        static_cast<Order *>(context)->is_early_in_time &= token_comes(0, early_tag);
        std::fill_n(out_of(call), long_array, static_cast<double>(call->frame));
        return DRI_SUCCESS;
    }
    // Process 1: makes what is received next, from what has left already.
    static int make_next(void *context, DRI_Call *call) {
        static_cast<Order *>(context)->is_first_in_time &= token_comes(0, first_tag);
        for (size_t i = 0; i < long_array; ++i)
            out_of(call)[i] = in_of(call)[i] + 1;
        return DRI_SUCCESS;
    }
};

// Calls without a receive come before the first wait, a receive is waited for just before its first reader, and a
// send leaves as soon as it is computed. Otherwise the calls of process 1 wait for tokens that come too late.
TEST(GraphOrder, OfStepsInAPart) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    Order order;
    NamedGraph graph(make_world());
    if (world().rank == 0) {
        graph.recv("a", 1, "a", long_array);
        graph.recv("b", 1, "b", long_array);
        graph.sum("second", {"b"}, {});
        graph.call("first", 1, Order::first, nullptr, {"a"});
        graph.call("early", 1, Order::early);
        // Outputs are looked at in the order of their names.
        graph.output("1", "first");
        graph.output("2", "second");
        graph.output("3", "early");
    } else if (world().rank == 1) {
        graph.call("a", long_array, Order::make, &order);
        graph.call("b", long_array, Order::make_next, &order, {"a"});
        for (const std::string name : {"b", "a"}) {
            graph.send("to 0 " + name, name, 0, name);
            graph.output("to 0 " + name, "to 0 " + name);
        }
    }
    const Plan plan = make_plan(graph.graph);
    int parts = 0;
    expect_success(DRI_plan_num_parts(plan, &parts), "DRI_plan_num_parts");
    EXPECT_EQ(parts, 1);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    for (int frame = 0; frame < 3 && order.is_early_in_time && order.is_first_in_time; ++frame) {
        ASSERT_EQ(DRI_plan_run(plan), DRI_SUCCESS) << DRI_error_message();
        const void *first = nullptr, *second = nullptr;
        if (world().rank != 0)
            continue;
        expect_success(DRI_plan_get_output(plan, "1", &first), "DRI_plan_get_output");
        expect_success(DRI_plan_get_output(plan, "2", &second), "DRI_plan_get_output");
        EXPECT_EQ(*static_cast<const double *>(first), frame);
        EXPECT_EQ(static_cast<const double *>(second)[long_array - 1], frame + 1);
    }
    EXPECT_TRUE(order.is_early_in_time) << "a call that needs no receive waited for one, or for a send";
    EXPECT_TRUE(order.is_first_in_time) << "a reader waited for another receive, or a send for a call behind it";
}

// A round trip: process 0 asks, process 1 answers. The answer of the first frame waits until the second one is
// asked.
struct RoundTrip {
    int64_t answered = 0;
    bool is_in_time = true;

    static int ask(void *, DRI_Call *call) {
        if (call->frame == 1)
            send_token(1, ahead_tag);
        out_of(call)[0] = static_cast<double>(call->frame);
        return call->frame < 4 ? DRI_SUCCESS : DRI_END_OF_STREAM;
    }
    static int answer(void *context, DRI_Call *call) {
        if (call->frame == 0)
            static_cast<RoundTrip *>(context)->is_in_time = token_comes(0, ahead_tag);
        out_of(call)[0] = in_of(call)[0] + 1;
        return DRI_SUCCESS;
    }
    static int hear(void *context, DRI_Call *call) {
        EXPECT_EQ(in_of(call)[0], static_cast<double>(static_cast<RoundTrip *>(context)->answered++ + 1));
        return DRI_SUCCESS;
    }
};

TEST(GraphOrder, AYoungerFrameGoesOnWhileTheOldestWaits) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    RoundTrip trip;
    NamedGraph graph(make_world());
    if (world().rank == 0) {
        graph.call("asked", 1, RoundTrip::ask);
        graph.send("sent", "asked", 1, "question");
        graph.output("sent", "sent");
        graph.recv("answer", 1, "answer", 1);
        const DRI_Node answer = graph.node("answer");
        expect_success(DRI_graph_call(graph.graph, "hear", RoundTrip::hear, &trip, 0, nullptr, 1, &answer),
                       "DRI_graph_call");
    } else if (world().rank == 1) {
        graph.recv("question", 0, "question", 1);
        graph.call("answered", 1, RoundTrip::answer, &trip, {"question"});
        graph.send("sent", "answered", 0, "answer");
        graph.output("sent", "sent");
    }
    const Plan plan = make_plan(graph.graph);
    commit_stream(plan, 2);
    expect_success(DRI_plan_stream(plan, -1), "DRI_plan_stream");
    EXPECT_TRUE(trip.is_in_time) << "the second frame began behind the first one";
    EXPECT_EQ(trip.answered, world().rank == 0 ? 4 : 0);
}

} // namespace
} // namespace dri::test
