#include "detector.hpp"

#include "frame.hpp"

namespace radar {

Detector::Detector(const Options &options, const DRI_Part_tuple &part)
    : filter_(options.radar), detect_(options.radar, options.cfar), part_(part),
      held_begin_(part.left_x - part.left_v), held_end_(part.right_x + part.right_v),
      channels_(options.radar.channels), cells_(options.radar.pulses),
      power_(static_cast<std::size_t>((held_end_ - held_begin_) * cells_)) {}

void Detector::operator()(const dri::Frame &frame, const cfloat *pulses, Report &report) {
    for (std::int64_t r = 0; r < held_end_ - held_begin_; ++r)
        filter_(pulses + r * channels_ * cells_, power_.data() + r * cells_);
    write_report(frame.number,
                 detect_(common::record_of<Waveform>(frame), power_.data(), held_begin_, held_end_, part_.left_x,
                         part_.right_x),
                 report);
}

std::span<const float> Detector::map() const {
    return std::span(power_).subspan(static_cast<std::size_t>(part_.left_v * cells_),
                                     static_cast<std::size_t>((part_.right_x - part_.left_x) * cells_));
}

} // namespace radar
