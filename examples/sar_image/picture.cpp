#include "picture.hpp"

#include "heat_map.hpp"

#include <algorithm>
#include <cmath>

namespace sar {

void write_picture(const Image &image, double range_db, const std::string &title,
                   const std::filesystem::path &path) {
    const auto decibels = [](float magnitude) { return 20 * std::log10(std::max(magnitude, 1e-30f)); };
    const int pixels = static_cast<int>(image.axis.count);
    float peak = 0;
    for (const cfloat &pixel : image.pixels)
        peak = std::max(peak, std::abs(pixel));
    const double peak_db = decibels(peak);
    const double extent = image.axis.last();
    common::write_heat_map(
        {
            .x = {"x (m)", image.axis.first, extent, pixels, pixels},
            .y = {"y (m)", image.axis.first, extent, pixels, pixels},
            .db = [&](int ix, int iy) { return decibels(image.magnitude(ix, iy)) - peak_db; },
            .top_db = 0,
            .range_db = range_db,
            .title = title,
            .marks = {},
        },
        path);
}

} // namespace sar
