// graph_bench: frames of plans beside the same exchanges by hand, in turns; and how long plans take to make.
#include "command_line.hpp"
#include "graph_frames.hpp"
#include "median.hpp"
#include "world.hpp"

#include <dri/dri.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

using bench::check;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Marks what a sender computes, so that both sides of a comparison do the same.
int mark(void *, DRI_Call *call) {
    for (int i = 0; i < call->nout; ++i)
        static_cast<unsigned char *>(call->out[i])[0] = static_cast<unsigned char>(call->frame);
    return DRI_SUCCESS;
}

// Edges from the first process to the second one, as a plan.
class Edges {
public:
    Edges(int edges, int64_t bytes) : edges_(edges) {
        DRI_Group all{};
        DRI_Gdo shape{};
        DRI_Graph graph{};
        check(DRI_group_create_world(&all));
        check(DRI_gdo_create(1, DRI_UINT8, &bytes, &shape));
        check(DRI_graph_create(all, &graph));
        std::vector<DRI_Node> nodes(static_cast<size_t>(edges));
        for (int i = 0; i < edges; ++i) {
            const std::string tag = "edge " + std::to_string(i);
            DRI_Node &node = nodes[static_cast<size_t>(i)], send{};
            if (bench::world().rank == 0) {
                check(DRI_graph_value(graph, shape, &node));
                check(DRI_graph_send(graph, node, 1, tag.c_str(), &send));
                check(DRI_graph_output(graph, tag.c_str(), send));
            } else if (bench::world().rank == 1) {
                check(DRI_graph_recv(graph, 0, tag.c_str(), shape, &node));
                check(DRI_graph_output(graph, tag.c_str(), node));
            }
        }
        if (bench::world().rank == 0)
            check(DRI_graph_call(graph, "mark", mark, nullptr, edges, nodes.data(), 0, nullptr));
        const auto start = Clock::now();
        check(DRI_graph_partition(graph, &plan_));
        partition_ = seconds_since(start);
        DRI_graph_destroy(&graph);
        DRI_gdo_destroy(&shape);
        DRI_group_destroy(&all);
    }
    Edges(const Edges &) = delete;
    Edges &operator=(const Edges &) = delete;
    ~Edges() { DRI_plan_destroy(&plan_); }
    void commit() { check(DRI_plan_commit(plan_, nullptr)); }
    double partition_seconds() const { return partition_; }
    // Throws if the second process has not what the first one computed in the last frame.
    void check_last() const {
        for (int i = 0; bench::world().rank == 1 && i < edges_; ++i) {
            const void *data = nullptr;
            check(DRI_plan_get_output(plan_, ("edge " + std::to_string(i)).c_str(), &data));
            if (*static_cast<const unsigned char *>(data) != static_cast<unsigned char>(frames_ - 1))
                throw std::runtime_error("edge " + std::to_string(i) + " has another frame's data");
        }
    }
    double run(int64_t frames) {
        MPI_Barrier(MPI_COMM_WORLD);
        const auto start = Clock::now();
        for (int64_t frame = 0; frame < frames; ++frame)
            check(DRI_plan_run(plan_));
        frames_ += frames;
        return bench::greatest(seconds_since(start)) / static_cast<double>(frames);
    }

private:
    int edges_ = 0;
    int64_t frames_ = 0; // that were run
    DRI_Plan plan_{};
    double partition_ = 0;
};

// The same with MPI.
double by_hand(int edges, int64_t bytes, int64_t frames) {
    std::vector<std::vector<unsigned char>> memory(static_cast<size_t>(edges),
                                                   std::vector<unsigned char>(static_cast<size_t>(bytes)));
    std::vector<MPI_Request> requests(static_cast<size_t>(edges));
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    for (int64_t frame = 0; frame < frames && bench::world().rank < 2; ++frame) {
        for (int i = 0; i < edges; ++i) {
            auto &own = memory[static_cast<size_t>(i)];
            if (bench::world().rank == 0) {
                own[0] = static_cast<unsigned char>(frame);
                MPI_Isend(own.data(), static_cast<int>(bytes), MPI_BYTE, 1, i, MPI_COMM_WORLD,
                          &requests[static_cast<size_t>(i)]);
            } else {
                MPI_Irecv(own.data(), static_cast<int>(bytes), MPI_BYTE, 0, i, MPI_COMM_WORLD,
                          &requests[static_cast<size_t>(i)]);
            }
        }
        MPI_Waitall(edges, requests.data(), MPI_STATUSES_IGNORE);
    }
    return bench::greatest(seconds_since(start)) / static_cast<double>(frames);
}

void compare(int edges, int64_t bytes, double seconds, int repetitions) {
    Edges plan(edges, bytes);
    plan.commit();
    plan.run(10);
    const double first = std::max(plan.run(100), by_hand(edges, bytes, 100));
    const int64_t frames = bench::from_first(std::max<int64_t>(100, static_cast<int64_t>(seconds / first)));
    std::vector<double> ours, theirs, ratios;
    for (int i = 0; i < repetitions; ++i) {
        ours.push_back(plan.run(frames));
        theirs.push_back(by_hand(edges, bytes, frames));
        ratios.push_back(ours.back() / theirs.back());
    }
    plan.check_last();
    if (bench::world().rank == 0)
        std::printf("| %d edges of %lld bytes | %.2f | %.2f | %.2f |\n", edges, static_cast<long long>(bytes),
                    1e6 * bench::median(ours), 1e6 * bench::median(theirs), bench::median(ratios));
}

void time_levels(int64_t tasks) {
    std::vector<int64_t> first{0}, needs, level(static_cast<size_t>(tasks));
    for (int64_t task = 0; task < tasks; ++task) {
        if (task > 0)
            needs.push_back(task - 1);
        first.push_back(static_cast<int64_t>(needs.size()));
    }
    int64_t levels = 0;
    const auto start = Clock::now();
    check(DRI_task_levels(tasks, first.data(), needs.data(), level.data(), &levels));
    if (bench::world().rank == 0)
        std::printf("levels of a chain of %lld tasks: %.1f ms\n", static_cast<long long>(tasks),
                    1e3 * seconds_since(start));
}

void run(double seconds, int repetitions) {
    if (bench::world().rank == 0)
        std::printf("| frame | plan us | by hand us | ratio |\n|---|---|---|---|\n");
    compare(1, 8, seconds, repetitions);
    compare(1, 4096, seconds, repetitions);
    compare(1, 1 << 20, seconds, repetitions);
    compare(100, 64, seconds, repetitions);
    const Edges many(10000, 64);
    const double partition = bench::greatest(many.partition_seconds());
    if (bench::world().rank == 0)
        std::printf("\npartition of 10000 operations: %.1f ms\n", 1e3 * partition);
    time_levels(1000000);
    bench::time_chain(1000, seconds, repetitions);
    bench::time_round_trip(200, seconds, repetitions);
}

} // namespace

int main(int argc, char **argv) {
    double seconds = 0.3;
    int repetitions = 7;
    common::CommandLine asked("Frames of plans beside exchanges by hand, on 2 or more processes");
    asked.add("--min-time", seconds, {0, 60}, "Approximate duration of a measurement in seconds");
    asked.add("--repetitions", repetitions, {1, 1000}, "Number of rounds for each median");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    int result = 0;
    try {
        check(DRI_init(&argc, &argv));
        if (bench::world().size < 2)
            throw std::runtime_error("needs at least 2 processes");
        run(seconds, repetitions);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "graph_bench: %s\n", error.what());
        result = 1;
    }
    DRI_finalize();
    return result;
}
