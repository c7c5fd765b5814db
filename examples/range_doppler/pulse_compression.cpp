#include "pulse_compression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace radar {
namespace {

std::int16_t to_short(float value) {
    return static_cast<std::int16_t>(std::lrint(std::clamp(value * full_scale, -full_scale, full_scale - 1)));
}

} // namespace

PulseCompression::PulseCompression(const Radar &radar)
    : overlap_(radar.chirp - 1),
      length_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(4 * radar.chirp)))),
      stretch_(common::make_array(length_)) {
    fftwf_complex *const data = common::as_fftw(stretch_.get());
    const int n = static_cast<int>(length_);
    forward_ = common::Plan(fftwf_plan_dft_1d(n, data, data, FFTW_FORWARD, FFTW_ESTIMATE));
    backward_ = common::Plan(fftwf_plan_dft_1d(n, data, data, FFTW_BACKWARD, FFTW_ESTIMATE));

    const std::vector<float> taper = hamming(radar.chirp);
    double power = 0;
    std::fill_n(stretch_.get(), length_, cfloat());
    for (std::int64_t k = 0; k < radar.chirp; ++k) {
        stretch_[static_cast<std::size_t>(k)] =
            taper[static_cast<std::size_t>(k)] * radar.pulse_at(static_cast<double>(k));
        power += std::norm(stretch_[static_cast<std::size_t>(k)]);
    }
    fftwf_execute(forward_.get());
    const auto scale = static_cast<float>(1 / (std::sqrt(power) * static_cast<double>(length_)));
    for (std::int64_t k = 0; k < length_; ++k)
        reference_.push_back(scale * std::conj(stretch_[static_cast<std::size_t>(k)]));
}

void PulseCompression::operator()(const cfloat *line, std::int64_t count, cshort *compressed) {
    const std::int64_t step = length_ - overlap_; // valid results per section
    for (std::int64_t begin = 0; begin < count; begin += step) {
        const std::int64_t taken = std::min(length_, count + overlap_ - begin);
        cfloat *const stretch = stretch_.get();
        std::copy_n(line + begin, taken, stretch);
        std::fill(stretch + taken, stretch + length_, cfloat());
        fftwf_execute(forward_.get());
        for (std::int64_t k = 0; k < length_; ++k) {
            const cfloat a = stretch[k], b = reference_[static_cast<std::size_t>(k)];
            stretch[k] = {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
        }
        fftwf_execute(backward_.get());
        for (std::int64_t n = 0; n < std::min(step, count - begin); ++n)
            compressed[begin + n] = {to_short(stretch[n].real()), to_short(stretch[n].imag())};
    }
}

void PulseCompression::lines(const cfloat *line, std::int64_t lines, std::int64_t length, std::int64_t count,
                             cshort *compressed) {
    for (std::int64_t i = 0; i < lines; ++i, line += length, compressed += count)
        (*this)(line, count, compressed);
}

} // namespace radar
