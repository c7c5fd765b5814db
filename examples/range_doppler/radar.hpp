// The radar: its waveform, and the meaning of its samples. README.md has the formulae.
#pragma once

#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace radar {

using cfloat = std::complex<float>;
using cshort = std::complex<std::int16_t>; // as the digitiser delivers it; full scale is 32768

inline constexpr float full_scale = 32768;
inline constexpr double pi = std::numbers::pi;

// The transmitted waveform. The front end knows it, and sends it with each frame.
struct Waveform {
    std::int64_t chirp = 256;     // samples of the pulse
    double sample_rate = 25e6;    // Hz
    double carrier = 10e9;        // Hz
    double repetition_rate = 5e3; // pulses per second; lower if the samples of a pulse take longer
};

// A frame is a cube of channels x pulses x ranges.
struct Radar : Waveform {
    std::int64_t channels = 16, pulses = 128, ranges = 4096;

    std::int64_t samples() const { return channels * pulses * ranges; } // of a frame
    double pulse_interval() const;                                      // s
    double frame_interval() const { return pulse_interval() * static_cast<double>(pulses); }
    double wavelength() const; // m
    double range_step() const; // m from one sample to the next
    double speed_step() const; // m/s from one Doppler cell to the next
    double top_speed() const;  // m/s; higher speeds are ambiguous
    double range_of(double sample) const { return sample * range_step(); }
    // Speed of a Doppler cell in the order of the transform; fractions lie between cells. Positive speeds lead
    // away.
    double speed_of(double cell) const;

    const Waveform &waveform() const { return *this; }
    void set_waveform(const Waveform &waveform) { static_cast<Waveform &>(*this) = waveform; }

    // The pulse at a time in samples from its start; 0 outside.
    cfloat pulse_at(double sample) const;
};

// A Hamming taper against sidelobes, 1 in the middle.
std::vector<float> hamming(std::int64_t length);

} // namespace radar
