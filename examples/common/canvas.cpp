#include "canvas.hpp"

#include "font.hpp"
#include "program.hpp"

#include <algorithm>
#include <png.h>

namespace common {

Canvas::Canvas(int width, int height, std::uint8_t grey)
    : width_(width), height_(height),
      grey_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), grey) {}

void Canvas::fill(int x, int y, int width, int height, std::uint8_t grey) {
    const int left = std::max(x, 0), right = std::min(x + width, width_);
    const int top = std::max(y, 0), bottom = std::min(y + height, height_);
    for (int row = top; row < bottom && left < right; ++row) {
        const auto begin = grey_.begin() + static_cast<std::ptrdiff_t>(row) * width_;
        std::fill(begin + left, begin + right, grey);
    }
}

void Canvas::frame(int x, int y, int width, int height, int thickness, std::uint8_t grey) {
    fill(x, y, width, thickness, grey);
    fill(x, y + height - thickness, width, thickness, grey);
    fill(x, y, thickness, height, grey);
    fill(x + width - thickness, y, thickness, height, grey);
}

int Canvas::text_width(std::string_view line, int dot) {
    return (static_cast<int>(line.size()) * glyph_advance - 1) * dot;
}

void Canvas::text(int x, int y, std::string_view line, Align align, int dot, std::uint8_t grey) {
    const int width = text_width(line, dot);
    int left = align == Align::left ? x : align == Align::right ? x - width : x - width / 2;
    const int top = y - glyph_ascent * dot / 2;
    for (const char character : line) {
        for (int row = 0; row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if (glyph_has_dot(character, column, row))
                    fill(left + column * dot, top + row * dot, dot, dot, grey);
        left += glyph_advance * dot;
    }
}

void Canvas::text_upward(int x, int y, std::string_view line, int dot, std::uint8_t grey) {
    const int left = x - glyph_ascent * dot / 2;
    int bottom = y + text_width(line, dot) / 2;
    for (const char character : line) {
        for (int row = 0; row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if (glyph_has_dot(character, column, row))
                    fill(left + row * dot, bottom - (column + 1) * dot, dot, dot, grey);
        bottom -= glyph_advance * dot;
    }
}

void Canvas::write_png(const std::filesystem::path &path) const {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(width_);
    png.height = static_cast<png_uint_32>(height_);
    png.format = PNG_FORMAT_GRAY;
    if (!png_image_write_to_file(&png, path.c_str(), 0, grey_.data(), width_, nullptr))
        throw Failure(exit_output, path.string() + ": cannot be written: " + png.message);
}

} // namespace common
