#include "heat_map.hpp"

#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace common {
namespace {

constexpr std::uint8_t paper = 255, ink = 0;
constexpr int dot = 2;            // pixels per dot of the font
constexpr int wanted_side = 1000; // pixels of the map's sides, about
constexpr int left_margin = 110, right_margin = 150, top_margin = 64, bottom_margin = 90;
constexpr int tick = 10, gap = 8, line = 2;
constexpr int bar_width = 28, bar_distance = 30;
constexpr int mark_side = 25;

// The smallest of 1, 2 and 5 times a power of ten that divides a range into at most `max_steps` steps.
double round_step(double range, int max_steps) {
    const double rough = range / max_steps;
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

// The pixels of an axis. Each cell has `zoom` pixels, or each pixel stands for several cells.
struct Scale {
    explicit Scale(const HeatAxis &of)
        : axis(of), zoom(std::max(1, (wanted_side + of.cells / 2) / of.cells)),
          pixels(of.cells <= of.most_pixels ? of.cells * zoom : of.most_pixels) {}

    std::pair<int, int> cells_of(int pixel) const {
        const auto begin = static_cast<int>(static_cast<std::int64_t>(pixel) * axis.cells / pixels);
        const auto end = static_cast<int>(static_cast<std::int64_t>(pixel + 1) * axis.cells / pixels);
        return {begin, std::max(end, begin + 1)};
    }
    int pixel_of(double value) const {
        const double span = axis.last - axis.first;
        const double cell = span != 0 ? (value - axis.first) / span * (axis.cells - 1) : 0;
        return static_cast<int>((cell + 0.5) * pixels / axis.cells);
    }

    const HeatAxis &axis;
    int zoom, pixels;
};

class Plot {
public:
    explicit Plot(const HeatMap &map)
        : map_(map), x_(map.x), y_(map.y),
          canvas_(left_margin + x_.pixels + right_margin, top_margin + y_.pixels + bottom_margin, paper) {}

    void draw_cells() {
        for (int y = 0; y < y_.pixels; ++y)
            for (int x = 0; x < x_.pixels; ++x)
                canvas_.fill(left_margin + x, top_margin + y_.pixels - 1 - y, 1, 1, grey(greatest(x, y)));
        for (const HeatMark &mark : map_.marks)
            canvas_.frame(left_margin + x_.pixel_of(mark.x) - mark_side / 2,
                          top_margin + y_.pixels - y_.pixel_of(mark.y) - mark_side / 2, mark_side, mark_side, line,
                          paper);
        canvas_.frame(left_margin - line, top_margin - line, x_.pixels + 2 * line, y_.pixels + 2 * line, line,
                      ink);
    }

    void draw_axes() {
        const int bottom = top_margin + y_.pixels;
        for_each_tick(x_, [&](int pixel, const std::string &label) {
            canvas_.fill(left_margin + pixel - line / 2, bottom + line, line, tick, ink);
            canvas_.text(left_margin + pixel, bottom + line + tick + gap + 7, label, Align::centre, dot, ink);
        });
        for_each_tick(y_, [&](int pixel, const std::string &label) {
            canvas_.fill(left_margin - line - tick, bottom - pixel - line / 2, tick, line, ink);
            canvas_.text(left_margin - line - tick - gap, bottom - pixel, label, Align::right, dot, ink);
        });
        canvas_.text(left_margin + x_.pixels / 2, bottom + 64, map_.x.title, Align::centre, dot, ink);
        canvas_.text_upward(28, top_margin + y_.pixels / 2, map_.y.title, dot, ink);
    }

    void draw_grey_scale() {
        const int side = y_.pixels, left = left_margin + x_.pixels + bar_distance;
        for (int y = 0; y < side; ++y)
            canvas_.fill(left, top_margin + y, bar_width, 1, grey(map_.top_db - map_.range_db * y / (side - 1)));
        canvas_.frame(left - line, top_margin - line, bar_width + 2 * line, side + 2 * line, line, ink);
        const double step = round_step(map_.range_db, 6);
        const double lowest = map_.top_db - map_.range_db - 1e-9 * step;
        for (double db = std::floor(map_.top_db / step + 1e-9) * step; db >= lowest; db -= step) {
            const int y = top_margin + static_cast<int>((map_.top_db - db) / map_.range_db * (side - 1));
            canvas_.fill(left + bar_width + line, y - line / 2, tick, line, ink);
            canvas_.text(left + bar_width + line + tick + gap, y, number(db, step), Align::left, dot, ink);
        }
        canvas_.text(left + bar_width / 2, top_margin + side + 64, "dB", Align::centre, dot, ink);
    }

    void draw_title() {
        canvas_.text(left_margin + x_.pixels / 2, top_margin / 2, map_.title, Align::centre, dot, ink);
    }

    const Canvas &canvas() const { return canvas_; }

private:
    template <typename Draw> static void for_each_tick(const Scale &scale, Draw &&draw) {
        const double low = std::min(scale.axis.first, scale.axis.last);
        const double high = std::max(scale.axis.first, scale.axis.last);
        if (low == high)
            return;
        const double step = round_step(high - low, 10);
        for (double value = std::ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step)
            draw(scale.pixel_of(value), number(value, step));
    }

    double greatest(int x, int y) const {
        const auto [left, right] = x_.cells_of(x);
        const auto [low, high] = y_.cells_of(y);
        double db = map_.db(left, low);
        for (int row = low; row < high; ++row)
            for (int column = left; column < right; ++column)
                db = std::max(db, map_.db(column, row));
        return db;
    }

    std::uint8_t grey(double db) const {
        // On a screen the lower half of the grey values can hardly be distinguished. The exponent brightens them.
        constexpr double lift = 0.75;
        const double part = std::clamp(1 + (db - map_.top_db) / map_.range_db, 0.0, 1.0);
        return static_cast<std::uint8_t>(std::lround(255 * std::pow(part, lift)));
    }

    const HeatMap &map_;
    Scale x_, y_;
    Canvas canvas_;
};

} // namespace

void write_heat_map(const HeatMap &map, const std::filesystem::path &path) {
    Plot plot(map);
    plot.draw_cells();
    plot.draw_axes();
    plot.draw_grey_scale();
    plot.draw_title();
    plot.canvas().write_png(path);
}

} // namespace common
