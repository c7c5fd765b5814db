#include "image.hpp"

#include "process.hpp"
#include "windowed_sinc.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace sar {
namespace {

bool is_local_maximum(const Image &image, std::int64_t ix, std::int64_t iy) {
    const float here = image.magnitude(ix, iy);
    for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx)
            if (image.magnitude(ix + dx, iy + dy) > here)
                return false;
    return here > 0;
}

struct Pixel {
    std::int64_t ix, iy;
    float magnitude;
};

Peak interpolate_peak(const Image &image, const Pixel &pixel) {
    constexpr double usual_band = 0.65; // pixels of 0.2 m at a resolution of a third of a metre
    constexpr int steps_per_pixel = 16;
    static const WindowedSinc interpolate(usual_band);

    const std::int64_t first = std::max<std::int64_t>(0, pixel.iy - WindowedSinc::taps / 2);
    const std::int64_t end = std::min(image.axis.count, pixel.iy + WindowedSinc::taps / 2 + 1);
    std::vector<cfloat> column(static_cast<std::size_t>(end - first));
    Peak peak{};
    for (int step_x = -steps_per_pixel / 2; step_x <= steps_per_pixel / 2; ++step_x) {
        const double at_x = static_cast<double>(pixel.ix) + static_cast<double>(step_x) / steps_per_pixel;
        for (std::int64_t iy = first; iy < end; ++iy)
            column[static_cast<std::size_t>(iy - first)] = interpolate(image.row(iy), at_x);
        for (int step_y = -steps_per_pixel / 2; step_y <= steps_per_pixel / 2; ++step_y) {
            const double at_y = static_cast<double>(pixel.iy) + static_cast<double>(step_y) / steps_per_pixel;
            const double magnitude = std::abs(interpolate(column, at_y - static_cast<double>(first)));
            if (magnitude > peak.magnitude)
                peak = {image.axis.first + at_x * image.axis.step, image.axis.first + at_y * image.axis.step,
                        magnitude};
        }
    }
    return peak;
}

} // namespace

std::vector<Peak> find_peaks(const Image &image, std::size_t max_peaks, double separation) {
    std::vector<Pixel> maxima;
    for (std::int64_t iy = 1; iy + 1 < image.axis.count; ++iy)
        for (std::int64_t ix = 1; ix + 1 < image.axis.count; ++ix)
            if (is_local_maximum(image, ix, iy))
                maxima.push_back({ix, iy, image.magnitude(ix, iy)});
    std::stable_sort(maxima.begin(), maxima.end(), [](auto &a, auto &b) { return a.magnitude > b.magnitude; });

    std::vector<Pixel> chosen;
    for (const Pixel &pixel : maxima) {
        if (chosen.size() == max_peaks)
            break;
        const bool apart = std::none_of(chosen.begin(), chosen.end(), [&](const Pixel &brighter) {
            const auto dx = static_cast<double>(pixel.ix - brighter.ix);
            const auto dy = static_cast<double>(pixel.iy - brighter.iy);
            return std::hypot(dx, dy) * image.axis.step < separation;
        });
        if (apart)
            chosen.push_back(pixel);
    }
    std::vector<Peak> peaks;
    peaks.reserve(chosen.size());
    for (const Pixel &pixel : chosen)
        peaks.push_back(interpolate_peak(image, pixel));
    std::stable_sort(peaks.begin(), peaks.end(), [](auto &a, auto &b) { return a.magnitude > b.magnitude; });
    return peaks;
}

void write_raw(const Image &image, const std::filesystem::path &path) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(image.pixels.data()),
               static_cast<std::streamsize>(image.pixels.size_bytes()));
    if (!file.flush())
        throw Failure(exit_output, path.string() + ": cannot be written");
}

} // namespace sar
