// Lines between simulated processes.
#include "graph_walk_world.hpp"

#include <algorithm>
#include <cstddef>

namespace dri::graph::test {

void Line::begin_source(int64_t bytes, int slots, LineRules rules) {
    buffers_.assign(static_cast<size_t>(slots), std::vector<std::byte>(static_cast<size_t>(bytes)));
    rules_ = rules;
}

size_t Line::add_sink(int64_t bytes, int slots) {
    sinks_.emplace_back().buffers.assign(static_cast<size_t>(slots),
                                         std::vector<std::byte>(static_cast<size_t>(bytes)));
    return sinks_.size() - 1;
}

bool Line::acquire() {
    for (const Sink &sink : sinks_)
        if (acquired_ - slots() >= sink.arrived && rules_.fault != LineFault::frees_early)
            return false;
    ++acquired_;
    return true;
}

void *Line::extract(size_t sink) {
    Sink &own = sinks_[sink];
    own.is_waiting = own.extracted == own.arrived;
    if (own.is_waiting)
        return nullptr;
    return own.buffers[static_cast<size_t>(own.extracted++ % own.slots())].data();
}

void Line::deliver(size_t sink) {
    Sink &own = sinks_[sink];
    const int64_t most = own.slots() - (rules_.is_lazy && !own.is_waiting);
    const bool is_full = own.arrived - own.released >= most && rules_.fault != LineFault::overwrites;
    if (own.arrived == inserted_ || is_full)
        return;
    const auto from = static_cast<size_t>(own.arrived % slots()),
               to = static_cast<size_t>(own.arrived % own.slots());
    own.buffers[to] = buffers_[from];
    ++own.arrived;
}

void Line::put(Writer &out) const {
    // All but the clock's time, which differs from walk to walk.
    const auto put_buffer = [&](std::span<const std::byte> buffer) {
        out.put(buffer.first(offsetof(CarrierHeader, time_ns)))
            .put(buffer.subspan(offsetof(CarrierHeader, bytes)));
    };
    out.put(acquired_).put(inserted_);
    for (const auto &buffer : buffers_)
        put_buffer(buffer);
    for (const Sink &sink : sinks_) {
        out.put(sink.arrived).put(sink.extracted).put(sink.released).put(sink.is_waiting);
        for (const auto &buffer : sink.buffers)
            put_buffer(buffer);
    }
}

namespace {

class LineEnd final : public CarrierPipe {
public:
    LineEnd(Line &line, const Carrier &carrier, const RunOptions &options, LineRules rules) : line_(line) {
        if (carrier.is_source)
            line.begin_source(carrier.bytes, options.slots(), rules);
        else
            sink_ = line.add_sink(carrier.bytes, options.slots());
        is_source_ = carrier.is_source;
    }

    DRI_Xfer xfer() const override { return {}; }
    void get_buffers(void **buffers) override {
        auto &own = is_source_ ? line_.buffers() : line_.buffers(sink_);
        std::transform(own.begin(), own.end(), buffers, [](auto &buffer) { return buffer.data(); });
    }
    StepOutcome acquire(bool may_wait) override { return outcome(line_.acquire(), may_wait); }
    int insert(const DRI_Frame *) override { return line_.insert(), DRI_SUCCESS; }
    int close() override { return DRI_SUCCESS; }
    StepOutcome extract(bool may_wait, void **buffer, DRI_Frame *) override {
        *buffer = line_.extract(sink_);
        return outcome(*buffer != nullptr, may_wait);
    }
    int release() override { return line_.release(sink_), DRI_SUCCESS; }
    void abandon() override {}

private:
    // A wait that has to wait is over its time at once: the walk comes again.
    static StepOutcome outcome(bool is_done, bool may_wait) {
        return {!is_done && may_wait ? int{DRI_ERR_TIMEOUT} : int{DRI_SUCCESS}, is_done};
    }

    Line &line_;
    size_t sink_ = 0;
    bool is_source_ = false;
};

} // namespace

std::unique_ptr<CarrierPipe> make_line_end(Lines &lines, const Carrier &carrier, const RunOptions &options,
                                           LineRules rules) {
    return std::make_unique<LineEnd>(lines[carrier.name], carrier, options, rules);
}

} // namespace dri::graph::test
