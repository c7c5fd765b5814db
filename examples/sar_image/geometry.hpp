// The coordinate frame, the wavenumbers and the sampling of the polar format. README.md has the formulae.
#pragma once

#include "phase_history.hpp"

namespace sar {

struct ScenePoint {
    double x, y; // m, on the ground
};

struct FramePoint {
    double range, cross; // m
};

// The polar format's axes: the range axis lies along the scene axis nearest to the line of sight and points to
// the radar; the cross-range axis is the other scene axis.
struct Frame {
    bool range_is_x;
    double range_sign;

    FramePoint from_scene(ScenePoint p) const {
        return range_is_x ? FramePoint{range_sign * p.x, p.y} : FramePoint{range_sign * p.y, p.x};
    }
    ScenePoint to_scene(FramePoint p) const {
        return range_is_x ? ScenePoint{range_sign * p.range, p.cross} : ScenePoint{p.cross, range_sign * p.range};
    }
};

// Direction to the antenna of one pulse: unit vector (range_cosine, range_cosine * slope, ...) in the frame.
struct LookDirection {
    double range_cosine;
    double slope;
};

struct Geometry {
    Frame frame;
    std::vector<LookDirection> looks; // one per pulse
    Grid wavenumber;                  // rad/m along the range axis, for all pulses
    Grid column;                      // cross-range positions in m that the azimuth stage forms
    double centre_cross_wavenumber;   // rad/m
    double pulse_band;                // fraction of a pulse's unambiguous range that the picture needs
    double column_band;               // fraction of the columns' bandwidth that the data fill
    double range_resolution;          // m on the ground, to the first zero of a point's response
    double cross_resolution;          // m
    std::int64_t sample_count;        // samples on the wavenumber grid, all pulses
};

// Geometry for a picture from -extent to extent in x and y. Throws Failure if the data do not allow it.
Geometry make_geometry(const Collection &collection, double extent);

// Positions of the picture's pixels along both scene axes.
Grid pixel_positions(double extent, std::int64_t pixels);

} // namespace sar
