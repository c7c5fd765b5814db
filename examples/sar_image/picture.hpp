// The picture: the image in decibels as grey values, with axes in metres, a title and a grey scale.
#pragma once

#include "image.hpp"

#include <string>

namespace sar {

// White is the image's peak, black is range_db below it. Throws Failure(exit_output).
void write_picture(const Image &image, double range_db, const std::string &title,
                   const std::filesystem::path &path);

} // namespace sar
