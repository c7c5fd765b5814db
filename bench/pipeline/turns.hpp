// The two corner turns of the program, written by hand: packing, MPI_Alltoallv, unpacking with conversion.
#pragma once

#include "exchange.hpp"
#include "options.hpp"
#include "roles.hpp"

#include <span>

namespace pipeline_bench {

struct Extent {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end > begin ? end - begin : 0; }
};

// The block of a process in a balanced distribution with the larger blocks first. Empty for a process that is not
// in `ranks`.
Extent block(std::int64_t size, const std::vector<int> &ranks, int rank);

// Seconds that a process has spent in the steps of its corner turns since the start.
struct Moving {
    double packing = 0, exchanging = 0, unpacking = 0;
};

// Corner turn from whole pulses, as the digitisers deliver them, to lines of ranges as floats. Each line continues
// beyond its ranges by the length of the pulse less one.
class SamplesTurn {
public:
    SamplesTurn(const radar::Options &options, const radar::Roles &roles);

    Extent pulses() const { return pulses_; }
    Extent ranges() const { return ranges_; }
    std::int64_t length() const; // elements of a line
    radar::cshort *arriving() { return arriving_.data(); }
    std::span<const radar::cfloat> lines() const { return lines_; }
    void run(Moving &moving);

private:
    Extent wanted(int rank) const; // ranges
    void pack();
    void unpack();

    radar::Radar radar_;
    std::vector<int> front_;
    Extent pulses_, ranges_;
    Members members_;
    Exchange exchange_;
    std::vector<radar::cshort> arriving_; // [pulse][range][channel]
    std::vector<radar::cfloat> lines_;    // [channel][pulse][range]
};

// Corner turn from lines of ranges to lines of pulses as floats. The detector's overlap of ranges is included on
// both sides.
class PulsesTurn {
public:
    PulsesTurn(const radar::Options &options, const radar::Roles &roles);

    bool held() const { return members_.held(); }
    Extent owned() const { return owned_; } // ranges
    Extent held_ranges() const { return wanted_; }
    radar::cshort *compressed() { return compressed_.data(); }
    std::span<const radar::cfloat> pulses() const { return pulses_; }
    void run(Moving &moving);

private:
    Extent wanted(int rank) const; // ranges
    void pack();
    void unpack();

    radar::Radar radar_;
    std::int64_t reach_;
    std::vector<int> front_, doppler_;
    Extent source_, owned_, wanted_; // ranges of this process
    Members members_;
    Exchange exchange_;
    std::vector<radar::cshort> compressed_; // [channel][pulse][range]
    std::vector<radar::cfloat> pulses_;     // [range][channel][pulse]
};

} // namespace pipeline_bench
