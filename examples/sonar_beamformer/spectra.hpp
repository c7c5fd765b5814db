#pragma once

#include "fftw.hpp"
#include "sonar.hpp"

#include <vector>

namespace sonar {

// Computes the spectrum of one window of a sensor's samples under a Hann window, from the lowest frequency upward.
class Spectrum {
public:
    explicit Spectrum(const Sonar &sonar);
    void operator()(const cfloat *samples, cfloat *lines);

private:
    std::vector<float> window_;
    common::Array stretch_;
    common::Plan transform_;
};

} // namespace sonar
