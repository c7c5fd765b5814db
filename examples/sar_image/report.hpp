// The program's standard output.
#pragma once

#include "image.hpp"
#include "simulated_scene.hpp"

#include <span>
#include <string>

namespace sar {

std::string describe_collection(const Collection &collection);
// pixel: size of a pixel in metres.
void print_collection(const Collection &collection, const Geometry &geometry, double pixel);
void print_brightest(const Image &image, std::size_t points);

// Prints the targets, and the brightest point of the picture near each.
void print_comparison(const Image &image, std::span<const Target> targets);

} // namespace sar
