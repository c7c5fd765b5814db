#pragma once

#include "fftw.hpp"
#include "radar.hpp"

namespace radar {

// Correlates each line of ranges with the transmitted pulse, by transforms of sections that overlap by the pulse's
// length less one (overlap-save). The power of white noise is preserved.
class PulseCompression {
public:
    explicit PulseCompression(const Radar &radar);

    // Compresses a line of `count` ranges, which the pulse's length less one further samples follow; floats with
    // full scale 1.
    void operator()(const cfloat *line, std::int64_t count, cshort *compressed);
    // Compresses `lines` lines. Each has `length` elements, including those behind its ranges; each result has
    // `count`.
    void lines(const cfloat *line, std::int64_t lines, std::int64_t length, std::int64_t count,
               cshort *compressed);

private:
    std::int64_t overlap_, length_; // of the transforms
    std::vector<cfloat> reference_; // the pulse's transform, conjugate
    common::Array stretch_;
    common::Plan forward_, backward_;
};

} // namespace radar
