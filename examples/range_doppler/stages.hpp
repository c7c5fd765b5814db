// The stages of the pipeline, each with its ends of the transfers. They are made in the same order on all
// processes, and do nothing where the process has no part in them.
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
    // The next frame, up to the source's buffer of "turn".
    void run(std::int64_t frame);
    // The lines of ranges of the last frame, as they came: [channel][pulse][range].
    std::span<const cfloat> lines() const;

private:
    Radar radar_;
    std::unique_ptr<Input> input_;
    PulseCompression compress_;
    common::TransferEnd samples_, lines_, turn_, stamp_;
};

// Takes the transfer "turn", from lines of ranges to lines of pulses and from integers to floats, with as many
// ranges at either side as the detector looks at; filters, and detects.
class DopplerStage {
public:
    DopplerStage(const Options &options, const Roles &roles);

    bool has_part() const { return turn_.held(); }
    // The frame that has come, up to the source's buffer of "detections".
    void run(std::int64_t frame);
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
    std::span<const Report> reports() const;
    Stamp take_stamp(); // of the next frame
    const float *map() const { return map_.data<float>(); }

private:
    std::size_t report_count_;
    common::TransferEnd detections_, map_, stamp_;
};

} // namespace radar
