// A small bitmap font for the labels of pictures.
#pragma once

namespace common {

inline constexpr int glyph_width = 5;
inline constexpr int glyph_height = 9; // the lowest two rows are for descenders
inline constexpr int glyph_ascent = 7;
inline constexpr int glyph_advance = glyph_width + 1;

// Whether a character has a dot at column x from the left and row y from the top.
bool glyph_has_dot(char character, int x, int y);

} // namespace common
