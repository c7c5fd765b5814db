// The stages of the pipeline, each with its endpoints of the transfers. All processes create them in the same
// order. A stage does nothing on a process that has no part in it.
//
// Only the front end knows how many frames there are. Each frame carries from stage to stage the time at which it
// started. The end of the stream travels in the same way: if there is no further frame, run() closes the stage's
// own stream and returns false.
#pragma once

#include "beams.hpp"
#include "input.hpp"
#include "roles.hpp"
#include "spectra.hpp"

#include <dri/dri.hpp>

#include <optional>

namespace sonar {

// The range of spectral lines of the narrow band.
struct Band {
    std::int64_t first, end;
};

// Throws Failure(exit_usage) if the band contains no line.
Band narrow_band(const Options &options);

// Receives samples, and transforms windows of them. The transfer "series" is between its own processes: from
// sections of time to overlapping whole windows, with one line per sensor.
class FrontEnd {
public:
    FrontEnd(const Options &options, const Roles &roles);

    bool has_part() const { return static_cast<bool>(series_); }
    // Sends the next frame by "spectra".
    bool run();

private:
    Sonar sonar_;
    std::int64_t frame_ = 0; // the next one
    std::unique_ptr<Input> input_;
    Spectrum transform_;
    dri::Source<cfloat, 3> spectra_;
    dri::Source<cfloat, 2> series_;
    dri::Sink<cfloat, 2> windows_;
};

// Receives the transfer "spectra" with all lines. Sums the powers of the beams over this process's lines, for each
// window.
class BroadBand {
public:
    BroadBand(const Options &options, const Roles &roles);

    bool has_part() const { return static_cast<bool>(spectra_); }
    // Receives the next frame of "spectra", and sends its sums by "bearings".
    bool run();

private:
    std::int64_t windows_, sensors_;
    dri::Sink<cfloat, 3> spectra_;
    dri::Source<float, 3> bearings_;
    DRI_Part_tuple part_; // the lines of this process
    Beams beams_;
    std::optional<dri::Received<cfloat, 3>> frame_; // the last one
};

// Also receives the transfer "spectra", but only the lines of its band. Averages the powers of the beams over all
// windows, for each line.
class NarrowBand {
public:
    NarrowBand(const Options &options, const Roles &roles, const Band &band);

    bool has_part() const { return static_cast<bool>(spectra_); }
    // Receives the next frame of "spectra", and sends its powers by "lines".
    bool run();

private:
    std::int64_t windows_, sensors_, band_begin_;
    dri::Sink<cfloat, 3> spectra_;
    dri::Source<float, 2> lines_;
    DRI_Part_tuple part_; // the lines of this process, from the start of the band
    Beams beams_;
    std::optional<dri::Received<cfloat, 3>> frame_; // the last one
};

// The endpoints at the display.
class Arrivals {
public:
    Arrivals(const Options &options, const Roles &roles, const Band &band);

    bool has_part() const { return static_cast<bool>(bearings_); }
    // Receives the next frame of "bearings" and of "lines". Throws std::logic_error if they differ in number or
    // time.
    bool run();
    dri::Frame frame() const { return got_bearings_->frame(); }     // what came with it
    const float *bearings() const { return got_bearings_->data(); } // [process][window][beam]
    const float *lines() const { return got_lines_->data(); }       // [line][beam]

private:
    dri::Sink<float, 3> bearings_;
    dri::Sink<float, 2> lines_;
    std::optional<dri::Received<float, 3>> got_bearings_; // the last frames
    std::optional<dri::Received<float, 2>> got_lines_;
};

} // namespace sonar
