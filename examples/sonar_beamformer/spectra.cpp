#include "spectra.hpp"

#include <algorithm>

namespace sonar {

Spectrum::Spectrum(const Sonar &sonar) : stretch_(common::make_array(sonar.window)) {
    transform_ = common::plan_lines(static_cast<int>(sonar.window), 1, stretch_.get(), FFTW_ESTIMATE);
    const auto length = static_cast<double>(sonar.window);
    for (std::int64_t n = 0; n < sonar.window; ++n) {
        const double hann = 0.5 - 0.5 * std::cos(2 * pi * (static_cast<double>(n) + 0.5) / length);
        // The alternating sign shifts the spectrum by half its length, so that the lowest frequency comes first.
        window_.push_back(static_cast<float>((n % 2 == 0 ? hann : -hann) / std::sqrt(0.375 * length)));
    }
}

void Spectrum::operator()(const cfloat *samples, cfloat *lines) {
    for (std::size_t n = 0; n < window_.size(); ++n)
        stretch_[n] = window_[n] * samples[n];
    fftwf_execute(transform_.get());
    std::copy_n(stretch_.get(), window_.size(), lines);
}

} // namespace sonar
