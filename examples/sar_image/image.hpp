// The complex image in scene coordinates, and its brightest points.
#pragma once

#include "geometry.hpp"

#include <filesystem>
#include <span>

namespace sar {

struct Image {
    Grid axis;                      // m, the same along x and y
    std::span<const cfloat> pixels; // [y][x], from the lowest y upward

    Image(const Grid &pixel_axis, const cfloat *data)
        : axis(pixel_axis), pixels(data, static_cast<std::size_t>(pixel_axis.count * pixel_axis.count)) {}

    std::span<const cfloat> row(std::int64_t iy) const {
        return pixels.subspan(static_cast<std::size_t>(iy * axis.count), static_cast<std::size_t>(axis.count));
    }
    float magnitude(std::int64_t ix, std::int64_t iy) const {
        return std::abs(row(iy)[static_cast<std::size_t>(ix)]);
    }
};

struct Peak {
    double x, y; // m
    double magnitude;
};

// The brightest local maxima, brightest first. None is nearer than `separation` metres to a brighter one. The
// image is interpolated around each maximum. Positions are accurate to a sixteenth of a pixel if the pixels are
// finer than the resolution.
std::vector<Peak> find_peaks(const Image &image, std::size_t max_peaks, double separation);

// Writes the image as it lies in memory.
void write_raw(const Image &image, const std::filesystem::path &path);

} // namespace sar
