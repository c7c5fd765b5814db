#include "heat_map.hpp"

#include "program.hpp"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace common {
namespace {

// Lengths in pixels.
constexpr int wanted_side = 1000; // the map's sides, about
constexpr int left_margin = 110, right_margin = 150, top_margin = 64, bottom_margin = 90;
constexpr int tick = 10, gap = 8, line = 2;
constexpr int bar_width = 28, bar_distance = 30;
constexpr int mark_side = 23;
constexpr double number_size = 20, title_size = 22;

struct Destroy {
    void operator()(cairo_surface_t *surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t *context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

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
    double pixel_of(double value) const {
        const double span = axis.last - axis.first;
        const double cell = span != 0 ? (value - axis.first) / span * (axis.cells - 1) : 0;
        return (cell + 0.5) * pixels / axis.cells;
    }

    const HeatAxis &axis;
    int zoom, pixels;
};

class Plot {
public:
    explicit Plot(const HeatMap &map)
        : map_(map), x_(map.x), y_(map.y),
          // The picture is a mask: cairo writes masks as grey values, and an opaque pixel is white.
          surface_(cairo_image_surface_create(CAIRO_FORMAT_A8, left_margin + x_.pixels + right_margin,
                                              top_margin + y_.pixels + bottom_margin)),
          context_(cairo_create(surface_.get())) {
        cairo_set_operator(context_.get(), CAIRO_OPERATOR_SOURCE);
        draw_in_white();
        cairo_paint(context_.get());
        cairo_set_line_width(context_.get(), line);
        cairo_translate(context_.get(), left_margin, top_margin); // (0, 0) is the map's upper left corner
    }

    void draw_cells() {
        set_pixels(0, x_.pixels, [&](int x, int y) { return grey(greatest(x, y_.pixels - 1 - y)); });
        for (const HeatMark &mark : map_.marks)
            box(std::floor(x_.pixel_of(mark.x)) + 0.5, y_.pixels - std::floor(y_.pixel_of(mark.y)) + 0.5,
                mark_side / 2.0);
        draw_in_black();
        border(0, x_.pixels);
    }

    void draw_axes() {
        const int bottom = y_.pixels;
        for_each_tick(x_, [&](double x, const std::string &label) {
            stroke(x, bottom + line, x, bottom + line + tick);
            text(x, bottom + line + tick + gap + number_size / 2, label, Align::centre, number_size);
        });
        for_each_tick(y_, [&](double up, const std::string &label) {
            stroke(-line - tick, bottom - up, -line, bottom - up);
            text(-line - tick - gap, bottom - up, label, Align::right, number_size);
        });
        text(x_.pixels / 2.0, bottom + 66, map_.x.title, Align::centre, title_size);
        cairo_save(context_.get());
        cairo_translate(context_.get(), 24 - left_margin, y_.pixels / 2.0);
        cairo_rotate(context_.get(), -std::acos(0.0));
        text(0, 0, map_.y.title, Align::centre, title_size);
        cairo_restore(context_.get());
    }

    void draw_grey_scale() {
        const int side = y_.pixels, left = x_.pixels + bar_distance;
        set_pixels(left, bar_width,
                   [&](int, int y) { return grey(map_.top_db - map_.range_db * y / (side - 1)); });
        border(left, bar_width);
        const double step = round_step(map_.range_db, 6);
        const double lowest = map_.top_db - map_.range_db - 1e-9 * step;
        for (double db = std::floor(map_.top_db / step + 1e-9) * step; db >= lowest; db -= step) {
            const double y = (map_.top_db - db) / map_.range_db * (side - 1), right = left + bar_width + line;
            stroke(right, y, right + tick, y);
            text(right + tick + gap, y, number(db, step), Align::left, number_size);
        }
        text(left + bar_width / 2.0, side + 66, map_.unit, Align::centre, title_size);
    }

    void draw_title() { text(x_.pixels / 2.0, -top_margin / 2.0, map_.title, Align::centre, title_size); }

    void write_png(const std::filesystem::path &path) const {
        cairo_status_t status = cairo_status(context_.get());
        if (status == CAIRO_STATUS_SUCCESS)
            status = cairo_surface_write_to_png(surface_.get(), path.c_str());
        if (status != CAIRO_STATUS_SUCCESS)
            throw Failure(exit_output, path.string() + ": cannot be written: " + cairo_status_to_string(status));
    }

private:
    enum class Align { left, centre, right };

    template <typename Draw> static void for_each_tick(const Scale &scale, Draw &&draw) {
        const double low = std::min(scale.axis.first, scale.axis.last);
        const double high = std::max(scale.axis.first, scale.axis.last);
        if (low == high)
            return;
        const double step = round_step(high - low, 10);
        for (double value = std::ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step)
            draw(scale.pixel_of(value), number(value, step));
    }

    void draw_in_white() { cairo_set_source_rgba(context_.get(), 0, 0, 0, 1); }
    void draw_in_black() { cairo_set_source_rgba(context_.get(), 0, 0, 0, 0); }

    // Sets all pixels of some columns of the map's height.
    template <typename Grey> void set_pixels(int column, int width, Grey &&grey_of) {
        unsigned char *const data = cairo_image_surface_get_data(surface_.get());
        if (data == nullptr)
            throw std::bad_alloc();
        const std::ptrdiff_t pitch = cairo_image_surface_get_stride(surface_.get());
        cairo_surface_flush(surface_.get());
        for (int y = 0; y < y_.pixels; ++y)
            for (int x = 0; x < width; ++x)
                data[(top_margin + y) * pitch + left_margin + column + x] = grey_of(x, y);
        cairo_surface_mark_dirty(surface_.get());
    }

    // Lines lie on whole pixels, so that they are sharp.
    void stroke(double x, double y, double to_x, double to_y) {
        cairo_move_to(context_.get(), std::round(x), std::round(y));
        cairo_line_to(context_.get(), std::round(to_x), std::round(to_y));
        cairo_stroke(context_.get());
    }

    void box(double x, double y, double half) {
        cairo_rectangle(context_.get(), x - half, y - half, 2 * half, 2 * half);
        cairo_stroke(context_.get());
    }

    // Around a part of the map's height.
    void border(double x, double width) {
        cairo_rectangle(context_.get(), x - line / 2.0, -line / 2.0, width + line, y_.pixels + line);
        cairo_stroke(context_.get());
    }

    // x is the text's left end, centre or right end; y is the middle of its capitals.
    void text(double x, double y, const std::string &words, Align align, double size) {
        cairo_select_font_face(context_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(context_.get(), size);
        cairo_text_extents_t extents;
        cairo_text_extents(context_.get(), words.c_str(), &extents);
        const double part = align == Align::left ? 0 : align == Align::right ? 1 : 0.5;
        constexpr double capital = 0.73; // height of a capital per size of the font
        cairo_move_to(context_.get(), std::round(x - part * extents.x_advance),
                      std::round(y + capital * size / 2));
        cairo_show_text(context_.get(), words.c_str());
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
    Surface surface_;
    Context context_;
};

} // namespace

void write_heat_map(const HeatMap &map, const std::filesystem::path &path) {
    Plot plot(map);
    plot.draw_cells();
    plot.draw_axes();
    plot.draw_grey_scale();
    plot.draw_title();
    plot.write_png(path);
}

} // namespace common
