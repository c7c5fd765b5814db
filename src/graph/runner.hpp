// Runs the frames of a plan on one process.
#pragma once

#include "base/ring_slot.hpp"
#include "graph/kept_outputs.hpp"
#include "graph/part_clock.hpp"

#include <chrono>

namespace dri::graph {

// A frame that has begun and is not done.
struct FrameInFlight {
    int64_t number = 0;
    size_t next = 0; // of the steps
    DRI_Frame about{};
    bool is_about_of_part = false;      // a receive of this part has set it
    int32_t ended_by = 0, alive_by = 0; // as in CarrierHeader; ended_by -1: the source of a transfer
    std::vector<PartTime> times;        // per part
};

// Writes what goes with a frame before its nodes.
void fill_header(const CarrierEnd &end, int slot, const FrameInFlight &frame, bool is_stream);

class Runner {
public:
    // Declares all endpoints and allocates all memory.
    Runner(const PlanBody &plan, const RunOptions &options, const std::string &scope_name,
           const MakePipe &make_pipe = make_endpoint);

    std::vector<DRI_Xfer> xfers() const;
    // After the commit.
    void bind();

    void set_input(const std::string &name, const void *data);
    // One frame. Returns DRI_END_OF_STREAM if there is none any more.
    int run();
    // Returns DRI_END_OF_STREAM if the stream had ended before.
    int stream(int64_t most);
    // What stream does as long as fewer than `end` frames are done, but one step at a time and without waiting.
    // Returns false if every step would have to wait.
    bool advance(int64_t end);
    bool is_done(int64_t end) const { return done_ >= end || is_ended_; }
    const void *output(const std::string &name) const;
    DRI_Part_times times(int pid) const;
    // Frames of sinks that are not given back, and of those the ones that hold outputs.
    std::pair<int64_t, int64_t> held() const;

private:
    friend struct RunnerPosition; // for tests: how far the frames are

    using Clock = std::chrono::steady_clock;

    void require_ready();
    int slot_of(int64_t frame) const { return static_cast<int>(ring_slot(frame, options_.slots())); }
    FrameInFlight &flight(int64_t frame) { return flights_[static_cast<size_t>(slot_of(frame))]; }
    void begin_frames(int64_t end);
    bool is_over(const FrameInFlight &frame) const { return frame.next == frame_.steps.size(); }
    void finish_frames(int64_t end);
    void flush_end(int64_t frame, int32_t ended_by);

    // Makes the next step of a frame, or all copies up to the next other step. Returns false if it would have to
    // wait.
    bool step(FrameInFlight &frame, bool may_wait);
    StepOutcome make_step(FrameInFlight &frame, const FrameStep &one, bool may_wait);
    void note_time(FrameInFlight &frame, const FrameStep &one);
    void call(FrameInFlight &frame, int call);
    int insert(FrameInFlight &frame, CarrierEnd &end);
    StepOutcome wait(FrameInFlight &frame, CarrierEnd &end, bool may_wait);
    void read_header(FrameInFlight &frame, const CarrierEnd &end, const std::byte *buffer);
    void check_ends(const FrameInFlight &frame);
    [[noreturn]] void fail_step(const FrameInFlight &frame, const CarrierEnd &end, int code);
    [[noreturn]] void break_run(int code, const std::string &why, CarrierHeader told);

    bool go_on(int64_t first);
    void wait_or_go_on();

    const PlanBody &plan_;
    std::vector<Carrier> carriers_;
    FrameSteps frame_;
    RunOptions options_;
    FramePointers pointers_;
    std::vector<CarrierEnd> ends_;
    std::vector<FrameInFlight> flights_;
    std::vector<PartClock> clocks_;
    KeptOutputs kept_;
    int64_t begun_ = 0, done_ = 0; // frames
    bool is_ended_ = false, has_inputs_ = false;
    std::string broken_; // why no frame can run any more
    Clock::time_point last_;
};

} // namespace dri::graph
