// A grey-scale picture that is drawn in memory and written as a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace common {

enum class Align { left, centre, right };

class Canvas {
public:
    Canvas(int width, int height, std::uint8_t grey);

    void fill(int x, int y, int width, int height, std::uint8_t grey);
    void frame(int x, int y, int width, int height, int thickness, std::uint8_t grey);

    // Draws text whose dots are squares of `dot` pixels. x is the text's left end, centre or right end; y is its
    // middle.
    void text(int x, int y, std::string_view line, Align align, int dot, std::uint8_t grey);
    // Draws text that reads upward, with its centre at (x, y).
    void text_upward(int x, int y, std::string_view line, int dot, std::uint8_t grey);

    // Throws Failure(exit_output).
    void write_png(const std::filesystem::path &path) const;

    static int text_width(std::string_view line, int dot);

private:
    int width_, height_;
    std::vector<std::uint8_t> grey_;
};

} // namespace common
