// What the processes of a walk have in common: lines on which frames go from one process to others.
#pragma once

#include "graph/carrier_pipe.hpp"

#include <map>

namespace dri::graph::test {

// What lines may do wrong, so that tests see that a walk finds it.
enum class LineFault {
    none,
    overwrites,  // a frame arrives in a buffer that is not released
    frees_early, // a source's buffer is free before its frame has arrived
    never_frees, // what is released stays taken
};

// How lines behave.
struct LineRules {
    // A frame takes the last buffer of a sink only while the sink waits, as the direct way does; else at any time.
    bool is_lazy = false;
    LineFault fault = LineFault::none;
};

// A transfer of one source. What is inserted arrives in a step of its own, in which it is copied.
class Line {
public:
    void begin_source(int64_t bytes, int slots, LineRules rules);
    size_t add_sink(int64_t bytes, int slots);

    bool acquire();
    void insert() { ++inserted_; }
    void *extract(size_t sink); // NULL: nothing has arrived
    void release(size_t sink) { sinks_[sink].released += rules_.fault != LineFault::never_frees; }
    size_t sinks() const { return sinks_.size(); }
    // The next frame arrives at a sink, if it has been inserted and there is a place for it.
    void deliver(size_t sink);
    void put(Writer &out) const;
    std::vector<std::vector<std::byte>> &buffers() { return buffers_; }
    std::vector<std::vector<std::byte>> &buffers(size_t sink) { return sinks_[sink].buffers; }

private:
    struct Sink {
        std::vector<std::vector<std::byte>> buffers;
        int64_t arrived = 0, extracted = 0, released = 0;
        bool is_waiting = false; // the last attempt has found nothing
        int64_t slots() const { return static_cast<int64_t>(buffers.size()); }
    };
    int64_t slots() const { return static_cast<int64_t>(buffers_.size()); }

    std::vector<std::vector<std::byte>> buffers_;
    int64_t acquired_ = 1, inserted_ = 0; // the first buffer is in hand
    LineRules rules_{};
    std::vector<Sink> sinks_;
};

using Lines = std::map<std::string, Line>;

std::unique_ptr<CarrierPipe> make_line_end(Lines &lines, const Carrier &carrier, const RunOptions &options,
                                           LineRules rules);

} // namespace dri::graph::test
