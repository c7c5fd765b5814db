// A state of the model: what every process believes, what its buffers hold, and what is on its way.
#pragma once

#include "flow_job.hpp"

#include "base/error.hpp"

namespace dri::flow::test {

constexpr int8_t garbage = -1; // what a buffer holds at first
constexpr size_t max_queue = max_buffers + 2;

// A first-in, first-out queue without memory of its own, so that states are cheap to copy.
struct Queue {
    std::array<int8_t, max_queue> items{};
    int8_t size = 0;

    void push(int8_t item) { items[static_cast<size_t>(size++)] = item; }
    int8_t pop() {
        const int8_t item = items[0];
        std::move(items.begin() + 1, items.end(), items.begin());
        items.back() = 0;
        --size;
        return item;
    }
    bool empty() const { return size == 0; }
};

constexpr int8_t close_mark = 100; // added to the number of a header that closes the stream
constexpr int8_t in_mark = 50;     // in place: added to the number of a frame that has arrived

// A sink of a process: what its buffers hold, by array, source and strip.
struct Store {
    std::array<std::array<std::array<int8_t, max_strips>, max_sources>, max_buffers> content{};
    std::array<int8_t, max_sources> got{}; // strips of the moving frame, by source
    int8_t extracted = 0, released = 0;    // counted by the calls
    int8_t last_number = -1;               // the source's number of the last extracted frame
    bool in_use = false;                   // a call of the sink is under way
    bool header = false;                   // of the moving frame has been taken
    bool at_end = false;
};

struct Process {
    Ledgers ledgers;
    CallEndpoints waiting;
    bool waits = false, broken = false;
    bool leaves = false;  // waits until nobody reads its source
    bool through = false; // has left after all frames of the stream, without a close of its own
    std::array<int8_t, max_buffers> content{};    // of the source's buffers
    std::array<uint8_t, max_sides> to_send{};     // by flow: processes whose message is not posted
    std::array<bool, max_sides> header_to_send{}; // by flow
    std::array<Store, max_sides> stores{};        // by flow
    // In place, by buffer: what lies where a process's messages leave and arrive.
    std::array<std::array<int8_t, max_processes>, max_buffers> shared{};
};

// The identity of a state, or of one process in it: a hash. Never 0.
using Fingerprint = uint64_t;

// What is between the processes, and what the identity of a state is made of.
struct Traffic {
    // Messages by source, flow and receiver; headers by flow and receiver; verdicts by flow and source.
    std::array<std::array<std::array<Queue, max_processes>, max_sides>, max_sources> messages{};
    std::array<std::array<Queue, max_processes>, max_sides> headers{};
    std::array<std::array<Queue, max_sources>, max_sides> verdicts{};
    std::array<std::array<int8_t, max_processes>, max_sides> credits{}; // frames that a sink has reported
    std::array<std::array<int8_t, 8>, max_sides> kept{}; // numbers of the frames that are not dropped
    std::array<Fingerprint, max_processes> prints{};     // of the processes, see fingerprint_of()
};

struct State : Traffic {
    std::vector<Process> processes;
};

class Model;

// Two states with equal fingerprints behave in the same way, except with a probability of 2^-25 in a walk of 2^20
// states. What no rule, no step and no oracle reads again does not count: frames that were taken, and most
// counters of endpoints that have left, are closed or at their end, or of broken processes.
Fingerprint fingerprint_of(const Job &job, const Process &process);
Fingerprint fingerprint_of(const Model &model, const State &state); // state.prints are those of its processes
std::string text_of(const State &state);

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

// A fault that the oracle has found.
struct Fault {
    std::string text;
};

} // namespace dri::flow::test
