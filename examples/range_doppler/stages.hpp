// The stages of the pipeline, each with its endpoints of the transfers. All processes create them in the same
// order. A stage does nothing on a process that has no part in it.
//
// Only the front end knows how many frames there are. Each frame carries from stage to stage the time at which it
// started and the waveform of its pulses. The end of the stream travels in the same way: if there is no further
// frame, run() closes the stage's own stream and returns false.
#pragma once

#include "detector.hpp"
#include "input.hpp"
#include "pulse_compression.hpp"
#include "roles.hpp"

#include <dri/dri.hpp>

#include <optional>
#include <span>

namespace radar {

// Receives samples pulse by pulse, and compresses the pulses range by range. The transfer "samples" is between its
// own processes: from whole pulses to lines of ranges with overlap of the pulse's length less one, and from
// integers to floats.
class FrontEnd {
public:
    FrontEnd(const Options &options, const Roles &roles);

    bool has_part() const { return static_cast<bool>(samples_); }
    // Sends the next frame by "turn".
    bool run();
    // The lines of ranges of the last frame before compression: [channel][pulse][range].
    std::span<const cfloat> lines() const;

private:
    Radar radar_;
    std::int64_t frame_ = 0; // the next one
    std::unique_ptr<Input> input_;
    PulseCompression compress_;
    dri::Source<cshort, 3> samples_;
    dri::Sink<cfloat, 3> lines_;
    dri::Source<cshort, 3> turn_;
};

// Receives the transfer "turn", from lines of ranges to lines of pulses and from integers to floats. Its ranges
// overlap by the reach of the detector on both sides. Then it filters and detects.
class DopplerStage {
public:
    DopplerStage(const Options &options, const Roles &roles);

    bool has_part() const { return static_cast<bool>(turn_); }
    // Receives the next frame of "turn", and sends its detections by "detections".
    bool run();
    // Copies the power of the ranges that this process owns into the buffer of the transfer "map".
    void hand_over_map();
    // The lines of pulses of the last frame as received: [range][channel][pulse].
    std::span<const cfloat> pulses() const;

private:
    dri::Sink<cfloat, 3> turn_;
    dri::Source<Report, 1> detections_;
    dri::Source<float, 2> map_;
    Detector detect_;
    std::optional<dri::Received<cfloat, 3>> cube_; // the last frame of "turn"
};

// The endpoints at the tracker.
class Arrivals {
public:
    Arrivals(const Options &options, const Roles &roles);

    bool has_part() const { return static_cast<bool>(detections_); }
    // Receives the next frame of "detections".
    bool run();
    dri::Frame frame() const { return received_->frame(); } // what came with it
    std::span<const Report> reports() const { return received_->span(); }
    const float *map() const { return map_.buffer().data(); }

private:
    dri::Sink<Report, 1> detections_;
    dri::Sink<float, 2> map_;
    std::optional<dri::Received<Report, 1>> received_; // the last frame of "detections"
};

} // namespace radar
