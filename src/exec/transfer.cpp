#include "exec/transfer.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace dri {

class Transfer::Turn {
public:
    explicit Turn(Transfer &transfer) : transfer_(transfer) {
        if (transfer.busy_.exchange(true, std::memory_order_acquire))
            fail(DRI_ERR_STATE, "transfer '{}' is in use by another thread", transfer.name_);
        transfer.waits_.begin_frame();
    }
    ~Turn() { transfer_.busy_.store(false, std::memory_order_release); }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

    void check_whole() const {
        if (!transfer_.broken_.empty())
            fail(DRI_ERR_STATE, "transfer '{}' is broken: {}", transfer_.name_, transfer_.broken_);
    }

    // Runs the steps that cannot be taken back.
    template <class F> void run(F steps) {
        try {
            steps();
        } catch (const std::exception &e) {
            transfer_.broken_ = e.what();
            throw;
        }
    }

private:
    Transfer &transfer_;
};

namespace {

template <class T> void publish(T &number, T value) {
    std::atomic_ref<T>(number).store(value, std::memory_order_release);
}

// Ends are never const objects; before C++26 only a reference to one that may change is read atomically.
template <class T> T read(const T &number) {
    return std::atomic_ref<T>(const_cast<T &>(number)).load(std::memory_order_acquire);
}

int64_t nanoseconds(Clock::duration time) { return std::chrono::nanoseconds(time).count(); }

void count_frame(End &end, FrameTime time) {
    time.frame = end.frames;
    end.times.count(time);
    const double seconds = static_cast<double>(time.frame_ns) * 1e-9;
    publish(end.last_seconds, seconds);
    publish(end.total_seconds, end.total_seconds + seconds);
    publish(end.frames, end.frames + 1);
}

} // namespace

Progress progress(const End &end) {
    const int64_t frames = read(end.frames);
    return {frames, read(end.last_seconds), read(end.total_seconds)};
}

Transfer::Transfer(std::string name, std::optional<End> source, std::vector<Flow> flows,
                   std::shared_ptr<Transport> transport, std::chrono::nanoseconds patience)
    : name_(std::move(name)), source_(std::move(source)), flows_(std::move(flows)),
      transport_(std::move(transport)), patience_(patience) {}

// The next buffer is free once all sinks have taken the frame that it holds; those of this process take it now or
// never. They must keep up even where they take nothing from this process's source: a source that waits for the
// sink of a process that waits for another one's would else wait in a ring. With the rule, every process that
// waits has taken more frames than the one that it waits for. sinks_to_come: frames that they take within this
// call.
void Transfer::check_source(int64_t sinks_to_come) const {
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    check_takers();
    const auto buffers = static_cast<int64_t>(source_->buffers.size());
    const int64_t n = std::min(buffers - 1, source_->message_frames) + 1;
    // For the sinks of others, whose frames may need this process's sinks.
    const bool waits =
        std::any_of(flows_.begin(), flows_.end(), [](const Flow &flow) { return flow.link.has_outflow(); });
    for (const Flow &flow : flows_) {
        if (!flow.sink || flow.sink->destroyed)
            continue;
        if (!flow.link.has_own_part() && !(waits && flow.link.has_inflow()))
            continue;
        if (flow.sink->frames + sinks_to_come >= source_->frames + 2 - n)
            continue;
        if (n < buffers)
            fail(DRI_ERR_DEADLOCK,
                 "transfer '{}': frame {} of the source would wait, because its workspace has room for the "
                 "messages "
                 "of {} frames, until this process's own sink has taken frame {}; execute both ends by name, or "
                 "the sink first",
                 name_, source_->frames, source_->message_frames, source_->frames + 1 - n);
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': after frame {} no buffer of the source ({} in all) would be free before this "
             "process's own sink has taken frame {}; execute both ends by name, or the sink first",
             name_, source_->frames, n, source_->frames + 1 - n);
    }
}

// A source without data has no takers, and goes on for ever.
void Transfer::check_takers() const {
    std::optional<Departure> left;
    bool taken = false;
    for (const Flow &flow : flows_) {
        if (const auto all = flow.link.all_receivers_left())
            left = all;
        else
            taken = taken || flow.link.has_outflow();
        if (!flow.link.copies_own_part())
            continue;
        if (flow.sink->destroyed)
            left = Departure{flow.link.plan().rank, flow.sink->frames};
        else
            taken = true;
    }
    if (left && !taken)
        fail(DRI_ERR_STATE,
             "transfer '{}': the source of process {} has nobody to hand frame {} to: all sinks that take from it "
             "are destroyed, that of process {} after {} frames",
             name_, flows_[0].link.plan().rank, source_->frames, left->peer, left->frames);
}

void Transfer::fail_without(const Departure &source, const Flow &flow) const {
    fail(DRI_ERR_STATE,
         "transfer '{}': the sink of process {} will never get frame {} whole: the source of process {} is "
         "destroyed after {} frames",
         name_, flow.link.plan().rank, flow.sink->frames, source.peer, source.frames);
}

void Transfer::check_sink(const Flow &flow, int64_t sources_to_come) const {
    if (flow.sink->destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    if (flow.link.has_own_part() && source_->destroyed && flow.sink->frames >= source_->frames)
        fail_without({flow.link.plan().rank, source_->frames}, flow);
    check_senders(flow);
    if (flow.link.has_own_part() && flow.sink->frames >= source_->frames + sources_to_come)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': part of frame {} comes from this process's own source, which has handed over {} "
             "frames; execute both ends by name, or the source first",
             name_, flow.sink->frames, source_->frames);
}

std::optional<int> Transfer::lacks(int64_t frames) const {
    for (const Flow &flow : flows_)
        if (const auto peer = flow.link.lacks(frames))
            return peer;
    return std::nullopt;
}

// Until the next buffer may be filled: the frame that it holds is taken.
void Transfer::wait_for_takers() {
    const int64_t frames = source_->frames + 2 - std::ssize(source_->buffers);
    for (Backoff wait(transport_->crowded()); lacks(frames);)
        pause(wait);
}

// The user may do what he wants with his memory when his source is destroyed.
void Transfer::wait_for_readers() {
    const auto until = Clock::now() + patience_;
    for (Backoff wait(transport_->crowded()); const auto peer = lacks(source_->frames);) {
        if (pause(wait) && Clock::now() >= until)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frames of the source lie in buffers of the user, and process {} has not taken "
                 "all {} of them in time",
                 name_, *peer, source_->frames);
    }
}

void Transfer::look() {
    for (Flow &flow : flows_)
        if (flow.link.look())
            return;
}

void Transfer::check_senders(const Flow &flow) const {
    if (const auto lost = flow.link.sender_left(flow.sink->frames))
        fail_without(*lost, flow);
}

FrameTime Transfer::time_since(Clock::time_point begin) const {
    const auto now = Clock::now();
    return {0, nanoseconds(now.time_since_epoch()), nanoseconds(now - begin), waits_.waited_ns()};
}

void Transfer::do_all() {
    Turn turn(*this);
    turn.check_whole();
    const auto begin = Clock::now();
    const bool has_source = source_ && !source_->destroyed;
    const Ends ends{.source = has_source ? source_->buffer(source_->frames) : nullptr};
    look();
    if (has_source)
        check_source(1);
    for (Flow &flow : flows_)
        if (ends.takes(flow))
            check_sink(flow, has_source ? 1 : 0);
    turn.run([&] {
        run_frame(ends);
        if (has_source) {
            linger(begin);
            wait_for_takers();
        }
    });
    const FrameTime time = time_since(begin);
    if (has_source)
        count_frame(*source_, time);
    for (Flow &flow : flows_)
        if (ends.takes(flow))
            count_frame(*flow.sink, time);
}

void Transfer::do_source() {
    Turn turn(*this);
    turn.check_whole();
    const auto begin = Clock::now();
    look();
    check_source(0);
    turn.run([&] {
        run_frame({.source = source_->buffer(source_->frames), .sinks = false});
        linger(begin);
        wait_for_takers();
    });
    count_frame(*source_, time_since(begin));
}

void Transfer::do_sink(size_t i) {
    Turn turn(*this);
    turn.check_whole();
    const auto begin = Clock::now();
    Flow &flow = flows_[i];
    look();
    check_sink(flow, 0);
    turn.run([&] { run_frame({.only = &flow}); });
    count_frame(*flow.sink, time_since(begin));
}

void Transfer::close_file() {
    if (source_ && source_->shared)
        source_->shared->close_file();
}

void Transfer::destroy_source() {
    Turn turn(*this);
    for (const Flow &flow : flows_)
        if (flow.sink && !flow.sink->destroyed && flow.link.has_own_part() && flow.sink->frames < source_->frames)
            fail(DRI_ERR_STATE,
                 "transfer '{}': frame {} of the source is handed over and waits for this process's sink", name_,
                 flow.sink->frames);
    if (source_->shared && source_->shared->any_elsewhere())
        wait_for_readers();
    source_->destroyed = true;
    if (source_->shared)
        source_->shared->leave(source_->frames);
    source_->shared.reset();
    for (Flow &flow : flows_)
        flow.link.leave_source(source_->frames);
    source_->owned.clear();
}

void Transfer::destroy_sink(size_t i) {
    Turn turn(*this);
    End &sink = *flows_[i].sink;
    sink.destroyed = true;
    flows_[i].link.leave_sink(sink.frames);
    sink.owned.clear();
}

} // namespace dri
