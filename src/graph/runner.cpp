// Steps of frames, one after the other.
#include "graph/runner.hpp"

#include "base/lent_time.hpp"
#include "graph/node_memory.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>

namespace dri::graph {

namespace {

constexpr int slots_of_short_frames = 4;

FrameSteps placed_steps(const PlanBody &plan, const std::vector<Carrier> &carriers) {
    FrameSteps frame = steps_of(plan, carriers);
    frame.memory_bytes = place_in_memory(plan, frame);
    return frame;
}

// Where frames are short, some go while those before are read: that hides the way between two cores.
RunOptions with_slots(RunOptions options, const std::vector<Carrier> &carriers, const FrameSteps &frame) {
    int64_t bytes = frame.memory_bytes;
    for (const Carrier &carrier : carriers) {
        if (carrier.is_port)
            return options;
        bytes += carrier.bytes;
    }
    if (bytes <= most_shared_bytes)
        options.further = std::max(0, slots_of_short_frames - options.slots());
    return options;
}

// Whether a step and the one behind it are copies of one part: one reading of the clock serves both.
bool goes_on_copying(const std::vector<FrameStep> &steps, size_t at) {
    return steps[at].kind == StepKind::copy && at + 1 < steps.size() && steps[at + 1].kind == StepKind::copy &&
           steps[at].part == steps[at + 1].part;
}

} // namespace

Runner::Runner(const PlanBody &plan, const RunOptions &options, const std::string &scope_name,
               const MakePipe &make_pipe)
    : plan_(plan), carriers_(carriers_of(plan, options.is_stream, scope_name)),
      frame_(placed_steps(plan, carriers_)), options_(with_slots(options, carriers_, frame_)),
      pointers_(plan, frame_, options_.slots()), flights_(static_cast<size_t>(options_.slots())),
      clocks_(plan.parts().parts.size()), kept_(plan, options.is_stream ? carriers_ : std::vector<Carrier>()) {
    ends_.reserve(carriers_.size());
    for (const Carrier &carrier : carriers_)
        ends_.emplace_back(carrier, options_, make_pipe(plan, carrier, options_));
    for (FrameInFlight &flight : flights_)
        flight.times.resize(clocks_.size());
}

std::vector<DRI_Xfer> Runner::xfers() const {
    std::vector<DRI_Xfer> xfers;
    for (const CarrierEnd &end : ends_)
        xfers.push_back(end.xfer());
    return xfers;
}

void Runner::bind() {
    for (CarrierEnd &end : ends_)
        end.bind();
    pointers_.bind(ends_);
}

void Runner::set_input(const std::string &name, const void *data) {
    const auto found = plan_.body().inputs.find(name);
    if (found == plan_.body().inputs.end())
        fail(DRI_ERR_ARG, "the graph has no input '{}'", name);
    if (plan_.body().bytes_of(found->second) > 0)
        outer::require_pointer(data, "data");
    static std::byte nothing;
    auto *const address = data ? static_cast<std::byte *>(const_cast<void *>(data)) : &nothing;
    for (int slot = 0; slot < options_.slots(); ++slot)
        pointers_.set(slot, found->second, address);
}

void Runner::require_ready() {
    if (!broken_.empty())
        fail(DRI_ERR_STATE, "the plan is broken and can only be destroyed: {}", broken_);
    if (has_inputs_)
        return;
    for (const auto &[name, node] : plan_.body().inputs)
        if (plan_.reached().has(node) && !pointers_.address(0, node))
            fail(DRI_ERR_STATE, "the input '{}' has no data: see DRI_plan_set_input", name);
    has_inputs_ = true;
}

void Runner::begin_frames(int64_t end) {
    while (begun_ < end && begun_ - done_ < options_.frames) {
        FrameInFlight &frame = flight(begun_);
        frame.number = begun_++;
        frame.next = 0;
        frame.about = {};
        frame.about.number = frame.number;
        frame.is_about_of_part = false;
        frame.ended_by = frame.alive_by = 0;
        std::fill(frame.times.begin(), frame.times.end(), PartTime{});
    }
}

void Runner::finish_frames(int64_t end) {
    while (done_ < std::min(begun_, end) && !is_ended_) {
        const FrameInFlight &frame = flight(done_);
        if (!is_over(frame))
            return;
        if (frame.ended_by != 0) {
            kept_.move(ends_, pointers_, done_ > 0 ? slot_of(done_ - 1) : -1);
            flush_end(frame.number, frame.ended_by); // after a timeout the next run comes here again
            is_ended_ = true;
            begun_ = done_; // later frames do not exist
            return;
        }
        for (size_t part = 0; part < clocks_.size(); ++part)
            clocks_[part].finish_frame(frame.times[part]);
        ++done_;
    }
}

bool Runner::step(FrameInFlight &frame, bool may_wait) {
    for (; goes_on_copying(frame_.steps, frame.next); ++frame.next)
        make_step(frame, frame_.steps[frame.next], may_wait);
    const FrameStep &one = frame_.steps[frame.next];
    const StepOutcome outcome = make_step(frame, one, may_wait);
    if (outcome.code != DRI_SUCCESS) {
        if (outcome.code == DRI_ERR_TIMEOUT)
            note_time(frame, one);
        fail_step(frame, ends_[static_cast<size_t>(one.index)], outcome.code);
    }
    if (one.kind != StepKind::begin) // it takes nothing, and each look at the clock does
        note_time(frame, one);
    frame.next += outcome.is_done;
    return outcome.is_done;
}

StepOutcome Runner::make_step(FrameInFlight &frame, const FrameStep &one, bool may_wait) {
    const bool is_ended = frame.ended_by != 0;
    switch (one.kind) {
    case StepKind::begin: frame.is_about_of_part = false; return {};
    case StepKind::call:
        if (!is_ended)
            call(frame, one.index);
        return {};
    case StepKind::copy: {
        const bool is_filled =
            frame_.copies[static_cast<size_t>(one.index)].is_constant && frame.number >= options_.slots();
        if (!is_ended && !is_filled)
            pointers_.copy(slot_of(frame.number), one.index);
        return {};
    }
    default: break;
    }
    CarrierEnd &end = ends_[static_cast<size_t>(one.index)];
    const LentTime::Scope lent(last_);
    switch (one.kind) {
    case StepKind::acquire:
        if (is_ended && end.carrier().is_port)
            return {};
        return end.acquire(frame.number, may_wait);
    case StepKind::insert: return {insert(frame, end)};
    case StepKind::wait: return wait(frame, end, may_wait);
    case StepKind::release: return {is_ended ? int{DRI_SUCCESS} : end.release()};
    default: return {};
    }
}

void Runner::note_time(FrameInFlight &frame, const FrameStep &one) {
    // Functions of the user may have read the clock earlier.
    const bool is_carrier = one.kind != StepKind::call && one.kind != StepKind::copy;
    const Clock::time_point now = is_carrier ? lent_time.ended() : Clock::now();
    const int64_t ns = std::chrono::nanoseconds(now - last_).count();
    last_ = now;
    PartTime &own = frame.times[static_cast<size_t>(one.part)];
    switch (one.kind) {
    case StepKind::call: own.call += ns; return;
    case StepKind::wait:
    case StepKind::acquire:
        own.wait += ns;
        clocks_[static_cast<size_t>(one.part)].note_wait(
            carriers_[static_cast<size_t>(one.index)].nodes.front().operation, ns);
        return;
    default: own.copy += ns; return;
    }
}

int Runner::insert(FrameInFlight &frame, CarrierEnd &end) {
    if (!end.carrier().is_port) {
        fill_header(end, slot_of(frame.number), frame, options_.is_stream);
        return end.insert(nullptr);
    }
    if (frame.ended_by != 0)
        return end.close();
    return end.insert(options_.is_stream ? &frame.about : nullptr);
}

StepOutcome Runner::wait(FrameInFlight &frame, CarrierEnd &end, bool may_wait) {
    void *buffer = nullptr;
    DRI_Frame about;
    const bool is_port = end.carrier().is_port;
    const StepOutcome outcome = end.extract(may_wait, &buffer, is_port && options_.is_stream ? &about : nullptr);
    if (outcome.code == DRI_END_OF_STREAM && is_port) {
        if (frame.ended_by == 0)
            frame.ended_by = -1;
        check_ends(frame);
        return {};
    }
    if (outcome.code != DRI_SUCCESS || !outcome.is_done)
        return outcome;
    const int slot = slot_of(frame.number);
    auto *const at = static_cast<std::byte *>(buffer);
    if (is_port) {
        if (at != pointers_.address(slot, end.carrier().nodes.front().node))
            pointers_.set(slot, end.carrier().nodes.front().node, at);
        if (options_.is_stream && !std::exchange(frame.is_about_of_part, true))
            frame.about = about;
    } else {
        read_header(frame, end, at);
    }
    return outcome;
}

int Runner::run() {
    require_ready();
    if (is_ended_)
        return DRI_END_OF_STREAM;
    last_ = Clock::now();
    const int64_t end = done_ + 1;
    begin_frames(end);
    FrameInFlight &frame = flight(done_);
    while (!is_over(frame))
        step(frame, true);
    finish_frames(end);
    return is_ended_ ? DRI_END_OF_STREAM : DRI_SUCCESS;
}

const void *Runner::output(const std::string &name) const {
    const auto found = plan_.body().outputs.find(name);
    if (found == plan_.body().outputs.end())
        fail(DRI_ERR_ARG, "the graph has no output '{}'", name);
    if (!broken_.empty())
        fail(DRI_ERR_STATE, "the plan is broken: {}", broken_);
    if (done_ == 0)
        fail(DRI_ERR_STATE, "no frame is done yet");
    return pointers_.address(slot_of(done_ - 1), plan_.body().value_of(found->second));
}

DRI_Part_times Runner::times(int pid) const {
    static_cast<void>(plan_.shown(pid)); // checks pid
    const PartClock &clock = clocks_[static_cast<size_t>(pid)];
    DRI_Part_times times = clock.times();
    if (clock.longest() >= 0)
        times.longest = plan_.operation(clock.longest());
    return times;
}

std::pair<int64_t, int64_t> Runner::held() const {
    std::pair<int64_t, int64_t> held;
    for (const CarrierEnd &end : ends_) {
        held.first += end.held();
        held.second += end.carrier().holds_output ? end.held() : 0;
    }
    return held;
}

} // namespace dri::graph
