// Small graphs of simulated processes in one place, whose plans go on in any order.
#pragma once

#include "graph_walk_world.hpp"

#include "graph/runner.hpp"

#include <memory>
#include <set>

namespace dri::graph {

// How far a process is.
struct RunnerPosition {
    // Everything that decides what it does next, and all values that it holds.
    static void put(Writer &out, const PlanBody &plan, const Runner &runner);
    static int64_t done(const Runner &runner) { return runner.done_; }
    static bool is_ended(const Runner &runner) { return runner.is_ended_; }
};

namespace test {

// A value of a process, computed from values of any process.
struct WalkedValue {
    int owner = 0;
    std::vector<int> of{};
    bool is_constant = false; // else one that is computed from nothing is a source of frames
    int elements = 1;
};

struct WalkedJob {
    std::vector<WalkedValue> values;
    int frames = 2;         // of the input
    int in_flight = 1;      //
    bool is_stream = false; // sources end after the frames; else that many frames are asked for
    bool keeps_all = false; // every value is an output, also where it is received; else those that nobody reads
    LineRules lines{};
};

struct WalkFound {
    size_t states = 0, ends = 0;
    std::string fault; // "" if there is none
};

// Goes through all orders of steps and arrivals.
WalkFound walk_all(const WalkedJob &job);

} // namespace test
} // namespace dri::graph
