// Lines between simulated processes.
#include "graph_walk_world.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace dri::graph::test {

Print &Print::put(std::span<const std::byte> bytes) {
    mix(bytes.size());
    for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
        mix(word);
    }
    return *this;
}

void Line::begin_source(int64_t bytes, int slots, LineRules rules) {
    buffers_.assign(static_cast<size_t>(slots), std::vector<std::byte>(static_cast<size_t>(bytes)));
    rules_ = rules;
}

size_t Line::add_sink(int64_t bytes, int slots, bool drops) {
    Sink &made = sinks_.emplace_back();
    made.buffers.assign(static_cast<size_t>(slots), std::vector<std::byte>(static_cast<size_t>(bytes)));
    made.numbers.resize(made.buffers.size());
    made.drops = drops;
    return sinks_.size() - 1;
}

bool Line::acquire() {
    for (const Sink &sink : sinks_)
        if (acquired_ - slots() >= sink.taken && rules_.fault != LineFault::frees_early)
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

int64_t Line::number(size_t sink) const {
    const Sink &own = sinks_[sink];
    return own.numbers[static_cast<size_t>((own.extracted - 1) % own.slots())];
}

bool Line::is_abandoned() const {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const Sink &sink) { return sink.is_gone; });
}

void Line::deliver(size_t sink) {
    Sink &own = sinks_[sink];
    const int64_t most = own.slots() - (rules_.is_lazy && !own.is_waiting);
    const bool is_full = own.arrived - own.released >= most && rules_.fault != LineFault::overwrites;
    const bool loses = own.drops || own.is_gone || rules_.fault == LineFault::loses;
    if (own.taken == inserted_ || (is_full && !loses))
        return;
    if (!is_full && !own.is_gone) {
        const auto from = static_cast<size_t>(own.taken % slots()),
                   to = static_cast<size_t>(own.arrived % own.slots());
        own.buffers[to] = buffers_[from];
        own.numbers[to] = own.taken;
        ++own.arrived;
    }
    ++own.taken;
}

void Line::put(Print &out) const {
    // All but the clock's time, which differs from walk to walk. Ports have no header, and their time is fixed.
    const auto put_buffer = [&](std::span<const std::byte> buffer) {
        if (buffer.size() < sizeof(CarrierHeader)) {
            out.put(buffer);
            return;
        }
        out.put(buffer.first(offsetof(CarrierHeader, time_ns)))
            .put(buffer.subspan(offsetof(CarrierHeader, bytes)));
    };
    out.put(acquired_).put(inserted_).put(is_closed_).put(is_source_gone_);
    for (const auto &buffer : buffers_)
        put_buffer(buffer);
    for (const Sink &sink : sinks_) {
        out.put(sink.taken).put(sink.arrived).put(sink.extracted).put(sink.released);
        out.put(sink.is_waiting).put(sink.is_gone);
        for (const auto &buffer : sink.buffers)
            put_buffer(buffer);
        for (const int64_t number : sink.numbers)
            out.put(number);
    }
}

namespace {

class LineEnd final : public CarrierPipe {
public:
    LineEnd(Line &line, const PlanBody &plan, const Carrier &carrier, const RunOptions &options, LineRules rules)
        : line_(line), is_source_(carrier.is_source) {
        const int node = carrier.nodes.front().node;
        const int64_t bytes = carrier.is_port ? plan.body().bytes_of(node) : carrier.bytes;
        if (is_source_)
            line.begin_source(bytes, options.slots(), rules);
        else
            sink_ = line.add_sink(bytes, options.slots(), carrier.is_port && plan.body().port_of(node).drops());
    }

    DRI_Xfer xfer() const override { return {}; }
    void get_buffers(void **buffers) override {
        auto &own = is_source_ ? line_.buffers() : line_.buffers(sink_);
        std::transform(own.begin(), own.end(), buffers, [](auto &buffer) { return buffer.data(); });
    }
    StepOutcome acquire(bool may_wait) override {
        if (line_.is_abandoned())
            return {DRI_ERR_STATE};
        return outcome(line_.acquire(), may_wait);
    }
    int insert(const DRI_Frame *) override {
        if (line_.is_abandoned())
            return DRI_ERR_STATE;
        return line_.insert(), DRI_SUCCESS;
    }
    int close() override { return line_.close(), DRI_SUCCESS; }
    StepOutcome extract(bool may_wait, void **buffer, DRI_Frame *about) override {
        *buffer = line_.extract(sink_);
        if (*buffer && about) {
            *about = {};
            about->number = line_.number(sink_);
            about->time_ns = 1;
        }
        if (!*buffer && line_.is_over(sink_))
            return {DRI_END_OF_STREAM};
        if (!*buffer && line_.is_cut_off(sink_))
            return {DRI_ERR_STATE};
        return outcome(*buffer != nullptr, may_wait);
    }
    int release() override { return line_.release(sink_), DRI_SUCCESS; }
    void abandon() override { is_source_ ? line_.abandon_source() : line_.abandon(sink_); }

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

std::unique_ptr<CarrierPipe> make_line_end(Lines &lines, const PlanBody &plan, const Carrier &carrier,
                                           const RunOptions &options, LineRules rules) {
    return std::make_unique<LineEnd>(lines[carrier.name], plan, carrier, options, rules);
}

} // namespace dri::graph::test
