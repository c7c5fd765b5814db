// The stages of the polar format algorithm. Each works on one line of an array.
#pragma once

#include "geometry.hpp"
#include "wavefront.hpp"
#include "windowed_sinc.hpp"

#include <fftw3.h>
#include <memory>
#include <span>

namespace sar {

// Stage for one pulse: interpolates from its frequencies to the wavenumbers along the range axis that all pulses
// share.
class RangeResampling {
public:
    RangeResampling(const Collection &collection, const Geometry &geometry, bool autofocus);
    void operator()(std::int64_t pulse, std::span<const cfloat> frequencies, std::span<cfloat> wavenumbers);

private:
    const Collection &collection_;
    const Geometry &geometry_;
    bool autofocus_;
    WindowedSinc interpolate_;
    std::vector<cfloat> corrected_;
};

// Stage for one wavenumber: transforms from pulses to cross-range positions, with the exact wavenumbers across.
class AzimuthTransform {
public:
    explicit AzimuthTransform(const Geometry &geometry) : geometry_(geometry) {}
    void operator()(std::int64_t wavenumber, std::span<const cfloat> pulses, std::span<cfloat> columns);

private:
    const Geometry &geometry_;
    std::vector<double> term_real_, term_imag_, turn_real_, turn_imag_;
};

// Stage for one column: transforms from wavenumbers to the true ranges of the picture's pixels.
class RangeTransform {
public:
    RangeTransform(const Geometry &geometry, const WavefrontCurvature &curvature, const Grid &pixels);
    void operator()(std::int64_t column, std::span<const cfloat> wavenumbers, std::span<cfloat> ranges);

private:
    struct FftwFree {
        void operator()(fftwf_complex *data) const { fftwf_free(data); }
        void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
    };

    const Geometry &geometry_;
    const WavefrontCurvature &curvature_;
    Grid pixels_;
    std::size_t length_;
    std::unique_ptr<fftwf_complex, FftwFree> profile_;
    std::unique_ptr<std::remove_pointer_t<fftwf_plan>, FftwFree> transform_;
    WindowedSinc interpolate_;
};

// Stage for one range: interpolates from the columns to the true cross-range positions of the picture's pixels.
class CrossRangeResampling {
public:
    CrossRangeResampling(const Geometry &geometry, const WavefrontCurvature &curvature, const Grid &pixels);
    void operator()(std::int64_t range, std::span<const cfloat> columns, std::span<cfloat> pixels);

private:
    const Geometry &geometry_;
    const WavefrontCurvature &curvature_;
    Grid pixels_;
    WindowedSinc interpolate_;
};

} // namespace sar
