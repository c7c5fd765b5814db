// What the processes of a walk have in common: lines on which frames go from one process to others.
#pragma once

#include "graph/carrier_pipe.hpp"

#include <map>

namespace dri::graph::test {

// A transfer of one source. What is inserted arrives in a step of its own, in which it is copied.
class Line {
public:
    void begin_source(int64_t bytes, int slots, bool is_lazy);
    size_t add_sink(int64_t bytes, int slots);

    bool acquire();
    void insert() { ++inserted_; }
    void *extract(size_t sink); // NULL: nothing has arrived
    void release(size_t sink) { ++sinks_[sink].released; }
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
    bool is_lazy_ = false;
    std::vector<Sink> sinks_;
};

using Lines = std::map<std::string, Line>;

std::unique_ptr<CarrierPipe> make_line_end(Lines &lines, const Carrier &carrier, const RunOptions &options,
                                           bool is_lazy);

} // namespace dri::graph::test
