// The stages of the pipeline, each with its ends of the transfers. They are made in the same order on all
// processes, and do nothing where the process has no part in them.
//
// Only the front end knows how many frames there are. What it tells of a frame, when it began and the waveform of
// its pulses, travels with it from stage to stage, and so does the end: each stage's run() ends its own stream and
// gives false once there is no further frame.
#pragma once

#include "detector.hpp"
#include "input.hpp"
#include "pulse_compression.hpp"
#include "roles.hpp"
#include "transfer_end.hpp"

#include <span>

namespace radar {

// Takes samples pulse by pulse, as they come, and compresses the pulses range by range. The transfer "samples" is
// between its own processes: whole pulses to ranges, with the pulse's length of overlap behind them, in lines of
// ranges, from integers to floats.
class FrontEnd {
public:
    FrontEnd(const Options &options, const Roles &roles);

    bool has_part() const { return samples_.held(); }
    // The next frame, to "turn".
    bool run();
    // The lines of ranges of the last frame, as they came: [channel][pulse][range].
    std::span<const cfloat> lines() const;

private:
    Radar radar_;
    std::int64_t frame_ = 0; // the next one
    std::unique_ptr<Input> input_;
    PulseCompression compress_;
    common::TransferEnd samples_, lines_, turn_;
};

// Takes the transfer "turn", from lines of ranges to lines of pulses and from integers to floats, with as many
// ranges at either side as the detector looks at; filters, and detects.
class DopplerStage {
public:
    DopplerStage(const Options &options, const Roles &roles);

    bool has_part() const { return turn_.held(); }
    // The next frame of "turn", to "detections".
    bool run();
    // The power of the ranges that this process owns, for the transfer "map".
    void hand_over_map();
    // The lines of pulses of the last frame, as they came: [range][channel][pulse].
    std::span<const cfloat> pulses() const;

private:
    common::TransferEnd turn_, detections_, map_;
    Detector detect_;
};

// Where everything arrives.
class Arrivals {
public:
    Arrivals(const Options &options, const Roles &roles);

    bool has_part() const { return detections_.held(); }
    // The next frame of "detections".
    bool run();
    const DRI_Frame &frame() const { return frame_; } // what came with it
    std::span<const Report> reports() const;
    const float *map() const { return map_.data<float>(); }

private:
    std::size_t report_count_;
    DRI_Frame frame_{};
    common::TransferEnd detections_, map_;
};

} // namespace radar
