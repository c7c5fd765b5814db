#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sar {
namespace {

constexpr double peak_separation = 2; // m

double decibels(double magnitude) { return 20 * std::log10(magnitude); }

} // namespace

std::string describe_collection(const Collection &collection) {
    char text[128];
    std::snprintf(text, sizeof text, "%lld pulses, %.2f to %.2f GHz",
                  static_cast<long long>(collection.pulse_count()), collection.frequency.first / 1e9,
                  collection.frequency.last() / 1e9);
    return text;
}

void print_collection(const Collection &collection, const Geometry &geometry, double pixel) {
    std::printf("%s, %lld frequencies\n", describe_collection(collection).c_str(),
                static_cast<long long>(collection.frequency.count));
    std::printf("Resolution on the ground: %.3f m in range, %.3f m in cross-range\n", geometry.range_resolution,
                geometry.cross_resolution);
    if (pixel > std::min(geometry.range_resolution, geometry.cross_resolution))
        std::printf("Pixels of %.3f m are coarser than the resolution: points may lie between pixels\n", pixel);
    std::printf("\n");
}

void print_brightest(const Image &image, std::size_t points) {
    const std::vector<Peak> peaks = find_peaks(image, points, peak_separation);
    std::printf("Brightest points, at least %g m apart:\n      x (m)    y (m)       dB\n", peak_separation);
    for (const Peak &peak : peaks)
        std::printf("   %8.2f %8.2f %8.2f\n", peak.x, peak.y, decibels(peak.magnitude / peaks.front().magnitude));
    std::printf("\n");
}

void print_comparison(const Image &image, std::span<const Target> targets) {
    const std::vector<Peak> peaks = find_peaks(image, 10 * targets.size(), peak_separation);
    std::printf("Simulated targets, and the nearest peak of the picture:\n"
                "      x (m)    y (m)       dB    found x  found y       dB  distance (m)\n");
    for (const Target &target : targets) {
        if (std::max(std::abs(target.x), std::abs(target.y)) > image.axis.last())
            continue;
        std::printf("   %8.2f %8.2f %8.2f", target.x, target.y, decibels(target.amplitude));
        const auto distance = [&](const Peak &peak) { return std::hypot(peak.x - target.x, peak.y - target.y); };
        const Peak *nearest = nullptr;
        for (const Peak &peak : peaks)
            if (!nearest || distance(peak) < distance(*nearest))
                nearest = &peak;
        if (nearest)
            std::printf("   %8.2f %8.2f %8.2f %13.3f\n", nearest->x, nearest->y, decibels(nearest->magnitude),
                        distance(*nearest));
        else
            std::printf("   not found\n");
    }
    std::printf("\n");
}

} // namespace sar
