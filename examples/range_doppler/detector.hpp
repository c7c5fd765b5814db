#pragma once

#include "doppler.hpp"
#include "options.hpp"
#include "report.hpp"

#include <dri/dri.hpp>

#include <span>

namespace radar {

// The work of a Doppler process on its ranges of a frame: filters, then detects.
class Detector {
public:
    // part: the ranges that the process owns, and their overlap.
    Detector(const Options &options, const DRI_Part_tuple &part);

    // frame: the header of the frame. pulses: [range][channel][pulse] of all ranges that the process holds.
    void operator()(const dri::Frame &frame, const cfloat *pulses, Report &report);

    // The power of the ranges that the process owns, in the last frame: [range][Doppler cell].
    std::span<const float> map() const;

private:
    DopplerFilter filter_;
    Cfar detect_;
    DRI_Part_tuple part_;
    std::int64_t held_begin_, held_end_; // ranges
    std::int64_t channels_, cells_;
    std::vector<float> power_; // [range][Doppler cell] of all ranges that the process holds
};

} // namespace radar
