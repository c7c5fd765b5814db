#include "display.hpp"
#include "peak.hpp"

#include <algorithm>

namespace sonar {
namespace {

constexpr double source_level = 6; // dB above the lower quartile of all bearings: sources may fill half of them
constexpr double line_level = 9;   // dB above the mean of the lines beside it
constexpr std::int64_t nearest = 3, farthest = 10; // distances of those lines

float at(const float *power, std::int64_t beam) { return beam < 0 || beam >= bearing_count ? 0 : power[beam]; }

bool is_top(const float *power, std::int64_t beam) {
    return power[beam] > at(power, beam - 1) && power[beam] >= at(power, beam + 1);
}

double between_beams(const float *power, std::int64_t beam) {
    const bool edge = beam == 0 || beam == bearing_count - 1;
    return static_cast<double>(beam) +
           (edge ? 0 : common::peak_offset(at(power, beam - 1), power[beam], at(power, beam + 1)));
}

double beside(const float *power, std::int64_t lines, std::int64_t line, std::int64_t beam) {
    double sum = 0;
    int count = 0;
    for (std::int64_t distance = nearest; distance <= farthest; ++distance)
        for (const std::int64_t other : {line - distance, line + distance})
            if (other >= 0 && other < lines) {
                sum += static_cast<double>(power[other * bearing_count + beam]);
                ++count;
            }
    return count > 0 ? sum / count : INFINITY;
}

} // namespace

std::vector<FoundSource> find_sources(const float *power) {
    std::vector<float> sorted(power, power + bearing_count);
    std::nth_element(sorted.begin(), sorted.begin() + bearing_count / 4, sorted.end());
    const double noise = common::decibels(static_cast<double>(sorted[bearing_count / 4]));
    std::vector<FoundSource> found;
    for (std::int64_t beam = 0; beam < bearing_count; ++beam) {
        const double level = common::decibels(static_cast<double>(power[beam])) - noise;
        if (level > source_level && is_top(power, beam))
            found.push_back({bearing_of(between_beams(power, beam)), level});
    }
    return found;
}

std::vector<FoundLine> find_lines(const Sonar &sonar, const Band &band, const float *power) {
    const std::int64_t lines = band.end - band.first;
    std::vector<FoundLine> found;
    for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t beam = 0; beam < bearing_count; ++beam) {
            const float *const here = power + line * bearing_count;
            const float below = line > 0 ? here[beam - bearing_count] : 0;
            const float above = line + 1 < lines ? here[beam + bearing_count] : 0;
            if (!is_top(here, beam) || here[beam] <= below || here[beam] < above)
                continue;
            const double level = common::decibels(static_cast<double>(here[beam])) -
                                 common::decibels(beside(power, lines, line, beam));
            if (level <= line_level)
                continue;
            const bool edge = line == 0 || line + 1 == lines;
            const double offset = edge ? 0 : common::peak_offset(below, here[beam], above);
            found.push_back({sonar.frequency_of(static_cast<double>(band.first + line) + offset),
                             bearing_of(between_beams(here, beam)), level});
        }
    return found;
}

} // namespace sonar
