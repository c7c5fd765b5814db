// What the program says on standard output, and the picture.
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

// power: [beam]; the peaks well above the noise.
std::vector<FoundSource> find_sources(const float *power);
// power: [line][beam] of the band; the peaks well above the lines beside them in the same beam.
std::vector<FoundLine> find_lines(const Sonar &sonar, const Band &band, const float *power);

class Display {
public:
    Display(const Options &options, const Roles &roles, const Band &band);

    // Prints a line about a frame that has come through.
    void follow(const Arrivals &arrivals);

    // Prints what is in the last frame, and the times of all.
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
