#include "polar_format.hpp"

#include <bit>
#include <cmath>

namespace sar {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Range of pixel i. Its scene coordinate does not depend on the direction of the range axis.
double pixel_range(const Geometry &geometry, const Grid &pixels, std::int64_t i) {
    return geometry.frame.range_sign * pixels.at(i);
}

} // namespace

RangeResampling::RangeResampling(const Collection &collection, const Geometry &geometry, bool autofocus)
    : collection_(collection), geometry_(geometry), autofocus_(autofocus), interpolate_(geometry.pulse_band) {}

void RangeResampling::operator()(std::int64_t pulse, std::span<const cfloat> frequencies,
                                 std::span<cfloat> wavenumbers) {
    const Grid &frequency = collection_.frequency;
    corrected_.assign(frequencies.begin(), frequencies.end());
    if (autofocus_) {
        const Pulse &p = collection_.pulses[index(pulse)];
        for (std::int64_t i = 0; i < frequency.count; ++i) {
            const double phase = p.phase_correction - two_way_wavenumber(frequency.at(i)) * p.range_correction;
            corrected_[index(i)] *= cfloat(std::polar(1.0, phase));
        }
    }

    const double cosine = geometry_.looks[index(pulse)].range_cosine;
    const double last = static_cast<double>(frequency.count - 1);
    for (std::int64_t k = 0; k < geometry_.wavenumber.count; ++k) {
        const double at_frequency = geometry_.wavenumber.at(k) / (two_way_wavenumber(1) * cosine);
        const double position = frequency.index_of(at_frequency);
        const bool measured = position >= 0 && position <= last;
        wavenumbers[index(k)] = measured ? interpolate_(corrected_, position) : cfloat(0);
    }
}

void AzimuthTransform::operator()(std::int64_t wavenumber, std::span<const cfloat> pulses,
                                  std::span<cfloat> columns) {
    // From one column to the next, each term of the sum over pulses rotates by a constant angle. The sum runs in
    // independent lanes, so that the compiler can use vector instructions. Zeros fill the last lanes.
    constexpr std::size_t lanes = 8;
    const std::size_t padded = (pulses.size() + lanes - 1) / lanes * lanes;
    for (auto *terms : {&term_real_, &term_imag_, &turn_real_, &turn_imag_})
        terms->assign(padded, 0.0);
    const double along = geometry_.wavenumber.at(wavenumber);
    for (std::size_t n = 0; n < pulses.size(); ++n) {
        const double across = along * geometry_.looks[n].slope - geometry_.centre_cross_wavenumber;
        const auto term = std::complex<double>(pulses[n]) * std::polar(1.0, -across * geometry_.column.first);
        const auto turn = std::polar(1.0, -across * geometry_.column.step);
        term_real_[n] = term.real();
        term_imag_[n] = term.imag();
        turn_real_[n] = turn.real();
        turn_imag_[n] = turn.imag();
    }

    double *const term_real = term_real_.data();
    double *const term_imag = term_imag_.data();
    const double *const turn_real = turn_real_.data();
    const double *const turn_imag = turn_imag_.data();
    for (cfloat &column : columns) {
        double sum_real[lanes] = {}, sum_imag[lanes] = {};
        for (std::size_t n = 0; n < padded; n += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::size_t i = n + lane;
                const double real = term_real[i], imag = term_imag[i];
                sum_real[lane] += real;
                sum_imag[lane] += imag;
                term_real[i] = real * turn_real[i] - imag * turn_imag[i];
                term_imag[i] = real * turn_imag[i] + imag * turn_real[i];
            }
        }
        double real = 0, imag = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            real += sum_real[lane];
            imag += sum_imag[lane];
        }
        column = cfloat(static_cast<float>(real), static_cast<float>(imag));
    }
}

RangeTransform::RangeTransform(const Geometry &geometry, const WavefrontCurvature &curvature, const Grid &pixels)
    : geometry_(geometry), curvature_(curvature), pixels_(pixels),
      length_(2 * std::bit_ceil(index(geometry.wavenumber.count))), profile_(fftwf_alloc_complex(length_)),
      transform_(fftwf_plan_dft_1d(static_cast<int>(length_), profile_.get(), profile_.get(), FFTW_FORWARD,
                                   FFTW_ESTIMATE)),
      interpolate_(static_cast<double>(geometry.wavenumber.count) / static_cast<double>(length_)) {}

void RangeTransform::operator()(std::int64_t column, std::span<const cfloat> wavenumbers,
                                std::span<cfloat> ranges) {
    // The band is centred at wavenumber 0, so the profile varies slowly and can be interpolated. The alternating
    // sign moves range 0 to the middle of the profile.
    const std::span<cfloat> profile(reinterpret_cast<cfloat *>(profile_.get()), length_);
    std::fill(profile.begin(), profile.end(), cfloat(0));
    const std::size_t centre = wavenumbers.size() / 2;
    for (std::size_t k = 0; k < wavenumbers.size(); ++k) {
        const bool odd = (k + centre) % 2 == 1;
        profile[(k + length_ - centre) % length_] = odd ? -wavenumbers[k] : wavenumbers[k];
    }
    fftwf_execute(transform_.get());

    const double per_metre = geometry_.wavenumber.step * static_cast<double>(length_) / (2 * std::numbers::pi);
    const double middle = static_cast<double>(length_) / 2;
    const auto scale = static_cast<float>(1.0 / static_cast<double>(geometry_.sample_count));
    const double cross = geometry_.column.at(column);
    for (std::int64_t i = 0; i < pixels_.count; ++i) {
        const double shown = curvature_.shown_range(pixel_range(geometry_, pixels_, i), cross);
        ranges[index(i)] = scale * interpolate_(profile, middle + shown * per_metre);
    }
}

CrossRangeResampling::CrossRangeResampling(const Geometry &geometry, const WavefrontCurvature &curvature,
                                           const Grid &pixels)
    : geometry_(geometry), curvature_(curvature), pixels_(pixels), interpolate_(geometry.column_band) {}

void CrossRangeResampling::operator()(std::int64_t range, std::span<const cfloat> columns,
                                      std::span<cfloat> pixels) {
    const double true_range = pixel_range(geometry_, pixels_, range);
    for (std::int64_t i = 0; i < pixels_.count; ++i) {
        const double shown = curvature_.shown_at({true_range, pixels_.at(i)}).cross;
        pixels[index(i)] = interpolate_(columns, geometry_.column.index_of(shown));
    }
}

} // namespace sar
