#include "picture.hpp"

#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sar {
namespace {

constexpr std::uint8_t paper = 255, ink = 0;
constexpr int dot = 2;            // pixels per dot of the font
constexpr int wanted_side = 1000; // pixels of the image's area, about
constexpr int left_margin = 110, right_margin = 150, top_margin = 64, bottom_margin = 90;
constexpr int tick = 10, gap = 8, line = 2;
constexpr int bar_width = 28, bar_distance = 30;

// 1, 2 or 5 times a power of ten, so that a range has at most `most` steps.
double round_step(double range, int most) {
    const double rough = range / most;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

std::string number(double value, double step) {
    char text[32];
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value) < step / 2 ? 0.0 : value);
    return text;
}

class Plot {
public:
    Plot(const Image &image, double range_db)
        : image_(image), range_db_(range_db), pixels_(static_cast<int>(image.axis.count)),
          zoom_(std::max(1, (wanted_side + pixels_ / 2) / pixels_)), side_(pixels_ * zoom_),
          canvas_(left_margin + side_ + right_margin, top_margin + side_ + bottom_margin, paper) {}

    void draw_image() {
        float peak = 0;
        for (const cfloat &pixel : image_.pixels)
            peak = std::max(peak, std::abs(pixel));
        const double peak_db = 20 * std::log10(std::max(peak, 1e-30f));
        for (int iy = 0; iy < pixels_; ++iy)
            for (int ix = 0; ix < pixels_; ++ix) {
                const double db = 20 * std::log10(std::max(image_.magnitude(ix, iy), 1e-30f)) - peak_db;
                canvas_.fill(left_margin + ix * zoom_, top_margin + (pixels_ - 1 - iy) * zoom_, zoom_, zoom_,
                             grey(db));
            }
        canvas_.frame(left_margin - line, top_margin - line, side_ + 2 * line, side_ + 2 * line, line, ink);
    }

    void draw_axes() {
        const double extent = image_.axis.last();
        const double step = round_step(2 * extent, 10);
        const int bottom = top_margin + side_ + line;
        for (double value = std::ceil(-extent / step - 1e-9) * step; value <= extent + 1e-9 * step;
             value += step) {
            const int offset = static_cast<int>((image_.axis.index_of(value) + 0.5) * zoom_);
            const std::string label = number(value, step);
            canvas_.fill(left_margin + offset - line / 2, bottom, line, tick, ink);
            canvas_.text(left_margin + offset, bottom + tick + gap + 7, label, Align::centre, dot, ink);
            const int y = top_margin + side_ - offset;
            canvas_.fill(left_margin - line - tick, y - line / 2, tick, line, ink);
            canvas_.text(left_margin - line - tick - gap, y, label, Align::right, dot, ink);
        }
        canvas_.text(left_margin + side_ / 2, top_margin + side_ + 64, "x (m)", Align::centre, dot, ink);
        canvas_.text_upward(28, top_margin + side_ / 2, "y (m)", dot, ink);
    }

    void draw_grey_scale() {
        const int left = left_margin + side_ + bar_distance;
        for (int y = 0; y < side_; ++y)
            canvas_.fill(left, top_margin + y, bar_width, 1, grey(-range_db_ * y / (side_ - 1)));
        canvas_.frame(left - line, top_margin - line, bar_width + 2 * line, side_ + 2 * line, line, ink);
        const double step = round_step(range_db_, 6);
        for (double db = 0; db >= -range_db_ - 1e-9 * step; db -= step) {
            const int y = top_margin + static_cast<int>(-db / range_db_ * (side_ - 1));
            canvas_.fill(left + bar_width + line, y - line / 2, tick, line, ink);
            canvas_.text(left + bar_width + line + tick + gap, y, number(db, step), Align::left, dot, ink);
        }
        canvas_.text(left + bar_width / 2, top_margin + side_ + 64, "dB", Align::centre, dot, ink);
    }

    void draw_title(const std::string &title) {
        canvas_.text(left_margin + side_ / 2, top_margin / 2, title, Align::centre, dot, ink);
    }

    const Canvas &canvas() const { return canvas_; }

private:
    std::uint8_t grey(double db) const {
        // A screen shows the lower half of the grey values hardly apart; the exponent lifts them.
        constexpr double lift = 0.75;
        return static_cast<std::uint8_t>(
            std::lround(255 * std::pow(std::clamp(1 + db / range_db_, 0.0, 1.0), lift)));
    }

    const Image &image_;
    double range_db_;
    int pixels_, zoom_, side_;
    Canvas canvas_;
};

} // namespace

void write_picture(const Image &image, double range_db, const std::string &title,
                   const std::filesystem::path &path) {
    Plot plot(image, range_db);
    plot.draw_image();
    plot.draw_axes();
    plot.draw_grey_scale();
    plot.draw_title(title);
    plot.canvas().write_png(path);
}

} // namespace sar
