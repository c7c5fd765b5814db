// The stages of the pipeline, each with its ends of the transfers. They are made in the same order on all
// processes, and do nothing where the process has no part in them.
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
    // The next frame, up to the source's buffer of "spectra".
    void run(std::int64_t frame);

private:
    Sonar sonar_;
    std::unique_ptr<Input> input_;
    Spectrum transform_;
    common::TransferEnd spectra_, series_, windows_;
};

// Takes the transfer "spectra", all lines: the powers of the beams over time, of this process's lines summed.
class BroadBand {
public:
    BroadBand(const Options &options, const Roles &roles);

    bool has_part() const { return spectra_.held(); }
    // The frame that has come, up to the source's buffer of "bearings".
    void run();

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
    // The frame that has come, up to the source's buffer of "lines".
    void run();

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
    const float *bearings() const { return bearings_.data<float>(); } // [process][window][beam]
    const float *lines() const { return lines_.data<float>(); }       // [line][beam]

private:
    common::TransferEnd bearings_, lines_;
};

} // namespace sonar
