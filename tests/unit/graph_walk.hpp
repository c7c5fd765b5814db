// Small graphs of simulated processes in one place, whose plans go on in any order.
#pragma once

#include "graph_walk_world.hpp"

#include "graph/runner.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace dri::graph {

// How far a process is.
class RunnerPosition {
public:
    // All that decides what it does next, and all values that it holds, outside lines.
    explicit RunnerPosition(const PlanBody &plan, const Runner &runner);
    void restore(const PlanBody &plan, Runner &runner) const;
    // Adds the same, and how the frames stand, to a print.
    static void put(test::Print &out, const PlanBody &plan, const Runner &runner);

    static int64_t done(const Runner &runner) { return runner.done_; }
    static bool is_ended(const Runner &runner) { return runner.is_ended_; }
    // Why no frame can run any more; "" if they can.
    static const std::string &broken(const Runner &runner) { return runner.broken_; }
    // The number of a frame that is done, as its sender counts.
    static int64_t number_of_last(const Runner &runner);

private:
    struct End {
        int64_t acquired, inserted, held;
        bool is_closed;
    };
    int64_t begun_, done_;
    bool is_ended_;
    std::string broken_;
    std::vector<FrameInFlight> flights_;
    std::vector<std::byte *> addresses_; // per slot and node
    std::vector<std::byte> values_;      // of the same
    std::vector<End> ends_;
};

namespace test {

// A value of a process, computed from values of any process.
struct WalkedValue {
    int owner = 0;
    std::vector<int> of{};
    bool is_constant = false; // else one that is computed from nothing is a source of frames
    int elements = 1;
    bool by_port = false; // goes to others by a transfer of that name; else by sends
    bool drops = false;   // the transfer's sinks drop frames: each is all that its process receives
    int fails_in = -1;    // the frame in which the call fails
};

struct WalkedJob {
    std::vector<WalkedValue> values;
    int frames = 2;         // of the input
    int in_flight = 1;      //
    bool is_stream = false; // sources end after the frames; else that many frames are asked for
    bool keeps_all = false; // every value is an output, also where it is received; else those that nobody reads
    LineRules lines{};

    bool has_drops() const {
        return std::any_of(values.begin(), values.end(), [](const WalkedValue &one) { return one.drops; });
    }
    bool fails() const {
        return std::any_of(values.begin(), values.end(), [](const WalkedValue &one) { return one.fails_in >= 0; });
    }
};

struct WalkFound {
    size_t states = 0, ends = 0;
    std::string fault; // "" if there is none
};

// Goes through all orders of steps and arrivals.
WalkFound walk_all(const WalkedJob &job);

} // namespace test
} // namespace dri::graph
