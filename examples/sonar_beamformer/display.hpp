// The program's standard output and its picture.
#pragma once

#include "options.hpp"
#include "stages.hpp"

#include <vector>

namespace sonar {

struct FoundSource {
    double bearing; // degrees
    double level;   // dB above the noise
};

struct FoundLine {
    double frequency; // Hz
    double bearing;   // degrees
    double level;     // dB above the lines beside it
};

// Finds the peaks well above the noise. power: [beam].
std::vector<FoundSource> find_sources(const float *power);
// Finds the peaks well above the neighbouring lines of the same beam. power: [line][beam] of the band.
std::vector<FoundLine> find_lines(const Sonar &sonar, const Band &band, const float *power);

class Display {
public:
    Display(const Options &options, const Roles &roles, const Band &band);

    // Prints a line about a frame that has arrived. bearings: [process][window][beam]; lines: [line][beam].
    void follow(const dri::Frame &frame, const float *bearings, const float *lines);

    // Prints the sources and lines of the last frame, and the times of all frames.
    void summarise() const;
    void write_picture() const;

private:
    void print_simulated() const;

    Options options_;
    std::int64_t broad_count_;
    Band band_;
    std::int64_t last_frame_ = 0;
    std::vector<FoundSource> sources_; // of the last frame
    std::vector<FoundLine> lines_;
    std::vector<double> arrivals_;  // s, of each frame
    std::vector<double> latencies_; // s
    std::vector<float> bearings_;   // [window][beam] of the last frames
};

} // namespace sonar
