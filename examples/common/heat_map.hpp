// A picture of values over two axes: decibels, or what the unit says, as grey values; axes with numbers, a title
// and a grey scale.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace common {

struct HeatAxis {
    std::string title;
    double first, last;     // values at the centres of the first and last cell
    int cells;              // at least 1
    int most_pixels = 1000; // if there are more cells, each pixel shows the maximum of several
};

struct HeatMark {
    double x, y;
};

struct HeatMap {
    HeatAxis x, y;                                 // y grows upward
    std::function<double(int column, int row)> db; // row 0 is the lowest
    double top_db, range_db;                       // level of white, and the distance of black below it
    std::string title;
    std::vector<HeatMark> marks; // each in a small white box
    std::string unit = "dB";     // below the grey scale
};

// Throws Failure(exit_output).
void write_heat_map(const HeatMap &map, const std::filesystem::path &path);

} // namespace common
