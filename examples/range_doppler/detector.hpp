#pragma once

#include "doppler.hpp"
#include "options.hpp"
#include "report.hpp"

#include <dri/part.h>
#include <dri/stream.h>

#include <span>

namespace radar {

// What a process of the Doppler stage does with its ranges of a frame: filters, and looks for targets.
class Detector {
public:
    // part: of the ranges, what it owns and what it holds beside these.
    Detector(const Options &options, const DRI_Part_tuple &part);

    // frame: what came with it. pulses: [range][channel][pulse] of all that it holds.
    void operator()(const DRI_Frame &frame, const cfloat *pulses, Report &report);

    // Of the last frame's ranges that it owns: [range][Doppler cell].
    std::span<const float> map() const;

private:
    DopplerFilter filter_;
    Cfar detect_;
    DRI_Part_tuple part_;
    std::int64_t held_begin_, held_end_; // ranges
    std::int64_t channels_, cells_;
    std::vector<float> power_; // [range][Doppler cell] of all that it holds
};

} // namespace radar
