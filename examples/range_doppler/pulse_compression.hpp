#pragma once

#include "fftw.hpp"
#include "radar.hpp"

namespace radar {

// Compares each line of ranges with the pulse that was sent, by transforms of stretches of the line that overlap
// by the pulse's length (overlap-save). White noise keeps its power.
class PulseCompression {
public:
    explicit PulseCompression(const Radar &radar);

    // A line of `count` ranges, behind which the pulse's length less one follow; floats with full scale 1.
    void operator()(const cfloat *line, std::int64_t count, cshort *compressed);
    // So many lines, each of `length` elements with what follows the ranges; the results have `count`.
    void lines(const cfloat *line, std::int64_t lines, std::int64_t length, std::int64_t count,
               cshort *compressed);

private:
    std::int64_t overlap_, length_; // of the transforms
    std::vector<cfloat> reference_; // the pulse's transform, conjugate
    common::Array stretch_;
    common::Plan forward_, backward_;
};

} // namespace radar
