// The stages of the pipeline, each with its ends of the transfers. They are made in the same order on all
// processes, and do nothing where the process has no part in them.
//
// Only the front end knows how many frames there are. When a frame began travels with it from stage to stage, and
// so does the end: each stage's run() ends its own stream and gives false once there is no further frame.
#pragma once

#include "beams.hpp"
#include "input.hpp"
#include "roles.hpp"
#include "spectra.hpp"
#include "transfer_end.hpp"

#include <span>

namespace sonar {

// The spectral lines that the narrow band has.
struct Band {
    std::int64_t first, end;
};

// Throws Failure(exit_usage) where there is no line in it.
Band narrow_band(const Options &options);

// Takes samples as they come and transforms windows of them. The transfer "series" is between its own processes:
// from stretches of time to whole windows, which overlap, in a line for each sensor.
class FrontEnd {
public:
    FrontEnd(const Options &options, const Roles &roles);

    bool has_part() const { return series_.held(); }
    // The next frame, to "spectra".
    bool run();

private:
    Sonar sonar_;
    std::int64_t frame_ = 0; // the next one
    std::unique_ptr<Input> input_;
    Spectrum transform_;
    common::TransferEnd spectra_, series_, windows_;
};

// Takes the transfer "spectra", all lines: the powers of the beams over time, of this process's lines summed.
class BroadBand {
public:
    BroadBand(const Options &options, const Roles &roles);

    bool has_part() const { return spectra_.held(); }
    // The next frame of "spectra", to "bearings".
    bool run();

private:
    std::int64_t windows_, sensors_;
    common::TransferEnd spectra_, bearings_;
    Beams beams_;
};

// Takes the transfer "spectra", too, but only the lines of its band: the powers of the beams at each, of all
// windows.
class NarrowBand {
public:
    NarrowBand(const Options &options, const Roles &roles, const Band &band);

    bool has_part() const { return spectra_.held(); }
    // The next frame of "spectra", to "lines".
    bool run();

private:
    std::int64_t windows_, sensors_, band_begin_;
    common::TransferEnd spectra_, lines_;
    Beams beams_;
};

// Where everything arrives.
class Arrivals {
public:
    Arrivals(const Options &options, const Roles &roles, const Band &band);

    bool has_part() const { return bearings_.held(); }
    // The next frame of "bearings" and of "lines". Throws std::logic_error if they are not the same.
    bool run();
    const DRI_Frame &frame() const { return frame_; }                 // what came with it
    const float *bearings() const { return bearings_.data<float>(); } // [process][window][beam]
    const float *lines() const { return lines_.data<float>(); }       // [line][beam]

private:
    DRI_Frame frame_{};
    common::TransferEnd bearings_, lines_;
};

} // namespace sonar
