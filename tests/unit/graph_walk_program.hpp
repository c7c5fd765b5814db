// The graphs of a job's processes, their plans, and what its values are.
#pragma once

#include "graph_walk.hpp"

#include <list>
#include <map>

namespace dri::graph::test {

using Number = uint64_t;

// The evaluation in one place. frame: of the sources.
Number expected(const WalkedJob &job, size_t value, int64_t frame);

// A call of the walk, and what it finds.
struct WalkedCall {
    const WalkedJob *job = nullptr;
    size_t value = 0;
    std::string *fault = nullptr;

    static int run(void *context, DRI_Call *call);
};

class Program {
public:
    Program(const WalkedJob &job, std::string &fault);

    int processes() const { return processes_; }
    const PlanBody &plan(int rank) const { return *plans_[static_cast<size_t>(rank)]; }
    // Whether everything on a process comes from constants.
    bool is_of_constants(int rank) const;
    // Whether a process receives from a transfer that loses frames.
    bool loses_frames(int rank) const;

private:
    // Values of one process by their numbers in the job.
    using Here = std::map<size_t, int>;

    std::shared_ptr<GraphBody> body_of(int rank, std::string &fault);
    void receive(GraphBody &body, size_t i, int rank, Here &here);
    void compute(GraphBody &body, size_t i, Here &here, std::string &fault);
    void send(GraphBody &body, size_t i, int rank, int node);
    int constant(GraphBody &body, size_t i);
    int port(GraphBody &body, size_t i, DRI_Role role);
    std::vector<int> readers(size_t i) const; // processes other than the owner
    bool is_of_constants(size_t i) const;

    const WalkedJob &job_;
    int processes_ = 0;
    std::list<WalkedCall> calls_;
    std::list<std::vector<Number>> constants_;
    std::vector<std::shared_ptr<GraphBody>> bodies_;
    std::vector<std::unique_ptr<PlanBody>> plans_;
};

} // namespace dri::graph::test
