// The calls of a frame: its two halves, together and alone.
#include "base/published.hpp"
#include "exec/turn.hpp"

#include <algorithm>
#include <utility>

namespace dri {

namespace {

int64_t nanoseconds(Clock::duration time) { return std::chrono::nanoseconds(time).count(); }

// frame: which one is done. time: of the call that ends it.
void count_frame(End &end, int64_t frame, FrameTime time) {
    time.frame = frame;
    time.frame_ns += std::exchange(end.spent_ns, 0);
    time.wait_ns += std::exchange(end.waited_ns, 0);
    end.times.count(time);
    const double seconds = static_cast<double>(time.frame_ns) * 1e-9;
    publish(end.last_seconds, seconds);
    publish(end.total_seconds, end.total_seconds + seconds);
}

void add_to(End &end, const FrameTime &time) {
    end.spent_ns += time.frame_ns;
    end.waited_ns += time.wait_ns;
}

} // namespace

Progress progress(const End &end) {
    const int64_t frames = read_published(end.frames);
    return {frames, read_published(end.acquired), read_published(end.last_seconds),
            read_published(end.total_seconds)};
}

void Transfer::hand_over(const FrameHeader *given) {
    const int64_t frame = source_->frames;
    set_header(given);
    if (source_->window)
        place_window(frame);
    if (source_->shared) {
        const std::byte *buffer = source_->buffer(frame);
        const int64_t i = in_turn(frame, source_->count());
        std::byte *const shared = source_->shared->buffer(i);
        if (shared != buffer && source_->shared->is_shared(i))
            copy_window(shared, buffer);
        source_->shared->hand_over(frame + 1);
    }
    publish(source_->frames, frame + 1);
}

void Transfer::look() {
    if (!traits_.messages)
        return;
    for (Flow &flow : flows_)
        if (flow.link.look())
            return;
}

void Transfer::give(const EndSet &ends) {
    for (Flow &flow : flows_) {
        if (!ends.takes(flow) || flow.sink->started)
            continue;
        End &sink = *flow.sink;
        if (sink.frames > sink.released)
            ++sink.released;
        sink.started = sink.wanted = true;
    }
    begin_sinks(); // receives first
    if (ends.source && !source_->started) {
        hand_over(nullptr);
        source_->started = true;
    }
    begin_source();
}

void Transfer::want(const EndSet &ends) {
    for (Flow &flow : flows_)
        if (ends.takes(flow))
            flow.sink->wanted = true;
    begin_moves();
}

void Transfer::count(const EndSet &ends, const FrameTime &time) {
    if (ends.source) {
        publish(source_->acquired, source_->acquired + 1);
        source_->started = false;
        count_frame(*source_, source_->acquired - 2, time); // whose buffer is before the one acquired
    }
    for (Flow &flow : flows_) {
        if (!ends.takes(flow))
            continue;
        End &sink = *flow.sink;
        sink.started = sink.wanted = false;
        count_frame(sink, sink.frames, time);
        publish(sink.frames, sink.frames + 1);
    }
}

FrameTime Transfer::time_since(Clock::time_point begin) const {
    const auto now = Clock::now();
    return {0, nanoseconds(now.time_since_epoch()), nanoseconds(now - begin), waits_.waited_ns()};
}

void Transfer::add_time(const EndSet &ends, const FrameTime &time) {
    if (ends.source)
        add_to(*source_, time);
    for (Flow &flow : flows_)
        if (ends.takes(flow))
            add_to(*flow.sink, time);
}

void Transfer::finish(EndSet ends, Halves halves) {
    Turn turn(*this);
    turn.check_whole();
    check_together(ends);
    const auto begin = Clock::now();
    const bool starts = halves == Halves::both;
    ends = halves == Halves::second_of_started ? started(ends) : there(ends);
    look();
    turn.check([&] { check(ends, starts); });
    try {
        turn.run([&] {
            starts ? give(ends) : want(ends);
            complete(ends, begin);
            check_end(ends);
        });
    } catch (const Error &) {
        add_time(ends, time_since(begin)); // the call may be repeated
        throw;
    }
    count(ends, time_since(begin));
}

void Transfer::execute(const EndSet &ends) { finish(ends, Halves::both); }

void Transfer::wait(const EndSet &ends) { finish(ends, Halves::second_of_started); }

void *Transfer::acquire() {
    finish(source_end(), Halves::second);
    return source_->buffer(source_->acquired - 1);
}

void *Transfer::extract(size_t flow, FrameHeader &header) {
    finish(sink_end(flow), Halves::second);
    const End &sink = *flows_[flow].sink;
    const int64_t frame = sink.frames - 1;
    if (const FrameHeader *const got = sink.header(frame))
        header = *got;
    else
        header.number = frame;
    return sink.buffer(frame);
}

void Transfer::insert(const FrameHeader *header) {
    Turn turn(*this);
    turn.check_whole();
    check_together(source_end());
    const auto begin = Clock::now();
    look();
    turn.check([&] { check_insert(); });
    turn.run([&] {
        hand_over(header);
        begin_moves();
        if (!leaves_steps(source_end()))
            run_steps();
    });
    add_to(*source_, time_since(begin));
}

void Transfer::release(size_t flow) {
    Turn turn(*this);
    turn.check_whole();
    check_together(sink_end(flow));
    End &sink = *flows_[flow].sink;
    if (sink.destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    if (sink.frames == sink.released)
        fail(DRI_ERR_STATE, "transfer '{}': the caller holds no frame of the sink", name_);
    ++sink.released;
    turn.run([&] { begin_moves(); });
}

void Transfer::start(const EndSet &asked) {
    Turn turn(*this);
    turn.check_whole();
    check_together(asked);
    const auto begin = Clock::now();
    const EndSet ends = there(asked);
    const auto refuse = [&](const char *role) {
        fail(DRI_ERR_STATE, "transfer '{}': a frame of the {} is started already: DRI_wait ends it", name_, role);
    };
    look();
    if (ends.sink && ends.sink->sink->destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    for (const Flow &flow : flows_)
        if (ends.takes(flow) && flow.sink->started)
            refuse("sink");
    if (ends.source && source_->started)
        refuse("source");
    turn.check([&] {
        if (ends.source)
            check_insert();
        check_receivers(ends.source);
    });
    turn.run([&] {
        give(ends);
        if (!leaves_steps(ends))
            run_steps();
    });
    add_time(ends, time_since(begin));
}

// Another thread may destroy ends before this one's call has the transfer.
EndSet Transfer::there(const EndSet &asked) const {
    EndSet ends = asked;
    if (!asked.all_sinks)
        return ends;
    const bool any_sink =
        std::any_of(flows_.begin(), flows_.end(), [&](const Flow &flow) { return ends.takes(flow); });
    ends.source = asked.source && !source_->destroyed && !(source_->closed && any_sink);
    if (!ends.source && !any_sink)
        fail(DRI_ERR_STATE, "the ends of transfer '{}' are destroyed", name_);
    return ends;
}

EndSet Transfer::started(const EndSet &asked) const {
    EndSet ends = there(asked);
    ends.started_only = true;
    ends.source = ends.source && source_->started;
    const bool any = std::any_of(flows_.begin(), flows_.end(),
                                 [&](const Flow &flow) { return ends.takes(flow) && flow.sink->started; });
    if (!any && !ends.source)
        fail(DRI_ERR_STATE, "transfer '{}': no frame is started: DRI_start comes first", name_);
    return ends;
}

bool Transfer::test(const EndSet &asked) {
    Turn turn(*this);
    turn.check_whole();
    check_together(asked);
    const auto begin = Clock::now();
    const EndSet ends = started(asked);
    look();
    bool done = false;
    turn.run([&] {
        leaves_steps(ends) ? void(take_step()) : run_steps();
        done = has_moved(ends) && (!ends.source || has_buffer());
        if (done)
            return check_end(ends);
        check_over(ends);
        check_needed(ends);
    });
    if (done)
        count(ends, time_since(begin));
    else
        add_time(ends, time_since(begin));
    return done;
}

} // namespace dri
