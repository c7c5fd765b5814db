// What the processes of a walk have in common: lines on which frames go from one process to others.
#pragma once

#include "graph/carrier_pipe.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>

namespace dri::graph::test {

// What lines may do wrong, so that tests see that a walk finds it.
enum class LineFault {
    none,
    overwrites,  // a frame arrives in a buffer that is not released
    frees_early, // a source's buffer is free before its frame has arrived
    never_frees, // what is released stays taken
    loses,       // a frame that finds no place is lost
    hides_gone,  // nobody sees that an end has left
};

// How lines behave.
struct LineRules {
    // A frame takes the last buffer of a sink only while the sink waits, as the direct way does; else at any time.
    bool is_lazy = false;
    LineFault fault = LineFault::none;
};

// The identity of a state: a hash of what decides how it goes on.
class Print {
public:
    template <class T> Print &put(T value) requires std::is_arithmetic_v<T> || std::is_enum_v<T> {
        mix(static_cast<uint64_t>(value));
        return *this;
    }
    Print &put(std::span<const std::byte> bytes);
    Print &put(std::string_view text) { return put(std::as_bytes(std::span(text.data(), text.size()))); }
    uint64_t value() const { return value_; }

private:
    void mix(uint64_t word) {
        value_ = (value_ ^ word) * 0xa0761d6478bd642fu;
        value_ ^= value_ >> 32;
    }
    uint64_t value_ = 0x9e3779b97f4a7c15u;
};

// A transfer of one source. What is inserted arrives in a step of its own, in which it is copied. A copy of a line
// is its state.
class Line {
public:
    using Buffers = std::vector<std::vector<std::byte>>;

    void begin_source(int64_t bytes, int slots, LineRules rules);
    // drops: what arrives while all its buffers are taken is lost.
    size_t add_sink(int64_t bytes, int slots, bool drops);

    bool acquire();
    void insert() { ++inserted_; }
    void close() { is_closed_ = true; }
    // NULL: nothing has arrived.
    void *extract(size_t sink);
    int64_t number(size_t sink) const; // of the source's frames, of the extracted one
    void release(size_t sink) { sinks_[sink].released += rules_.fault != LineFault::never_frees; }
    void abandon_source() { is_source_gone_ = rules_.fault != LineFault::hides_gone; }
    void abandon(size_t sink) { sinks_[sink].is_gone = rules_.fault != LineFault::hides_gone; }
    bool is_over(size_t sink) const { return is_closed_ && sinks_[sink].taken == inserted_; }
    // Nothing more comes, because the source has left.
    bool is_cut_off(size_t sink) const { return is_source_gone_ && sinks_[sink].taken == inserted_; }
    bool is_abandoned() const; // by a sink
    size_t sinks() const { return sinks_.size(); }
    // The next frame arrives at a sink, if it has been inserted and there is a place for it.
    void deliver(size_t sink);
    void put(Print &out) const;
    Buffers &buffers() { return buffers_; }
    Buffers &buffers(size_t sink) { return sinks_[sink].buffers; }

private:
    struct Sink {
        Buffers buffers;
        std::vector<int64_t> numbers; // of the source's frames, by buffer
        int64_t taken = 0;            // frames that have arrived or are lost
        int64_t arrived = 0, extracted = 0, released = 0;
        bool drops = false, is_gone = false;
        bool is_waiting = false; // the last attempt has found nothing
        int64_t slots() const { return static_cast<int64_t>(buffers.size()); }
    };
    int64_t slots() const { return static_cast<int64_t>(buffers_.size()); }

    Buffers buffers_;
    int64_t acquired_ = 1, inserted_ = 0; // the first buffer is in hand
    bool is_closed_ = false, is_source_gone_ = false;
    LineRules rules_{};
    std::vector<Sink> sinks_;
};

using Lines = std::map<std::string, Line>;

// Of a port, its node has the shape of its part.
std::unique_ptr<CarrierPipe> make_line_end(Lines &lines, const PlanBody &plan, const Carrier &carrier,
                                           const RunOptions &options, LineRules rules);

} // namespace dri::graph::test
