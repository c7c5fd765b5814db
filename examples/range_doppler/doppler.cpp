#include "doppler.hpp"

#include <algorithm>

namespace radar {

DopplerFilter::DopplerFilter(const Radar &radar)
    : channels_(radar.channels), window_(hamming(radar.pulses)), line_(common::make_array(radar.pulses)) {
    transform_ = common::plan_lines(static_cast<int>(radar.pulses), 1, line_.get(), FFTW_ESTIMATE);
}

void DopplerFilter::operator()(const cfloat *pulses, float *power) {
    std::fill_n(power, window_.size(), 0.0f);
    for (std::int64_t channel = 0; channel < channels_; ++channel, pulses += window_.size()) {
        for (std::size_t p = 0; p < window_.size(); ++p)
            line_[p] = window_[p] * pulses[p];
        fftwf_execute(transform_.get());
        for (std::size_t d = 0; d < window_.size(); ++d)
            power[d] += std::norm(line_[d]);
    }
}

} // namespace radar
