#include "wavefront.hpp"

#include <algorithm>
#include <cmath>

namespace sar {

WavefrontCurvature::WavefrontCurvature(const Collection &collection, const Geometry &geometry)
    : frame_(geometry.frame) {
    // The range to a point varies smoothly over the aperture, so a few pulses give the same line as all.
    const std::int64_t wanted = 8;
    const std::int64_t last = collection.pulse_count() - 1;
    const std::int64_t count = std::min(wanted, last + 1);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto n = static_cast<std::size_t>(i * last / (count - 1));
        const Pulse &p = collection.pulses[n];
        const LookDirection &look = geometry.looks[n];
        anchors_.push_back({p.x, p.y, p.z, std::hypot(p.x, p.y, p.z), look.range_cosine, look.slope, 0});
        mean_slope_ += look.slope / static_cast<double>(count);
    }
    double spread = 0;
    for (Anchor &anchor : anchors_) {
        anchor.slope -= mean_slope_;
        spread += anchor.slope * anchor.slope;
    }
    for (Anchor &anchor : anchors_)
        anchor.fit_weight = anchor.slope / spread;
}

FramePoint WavefrontCurvature::shown_at(FramePoint truth) const {
    // With flat wavefronts a point at (range, cross) has the offset range + slope * cross at every pulse. The line
    // fitted to the offsets of the true wavefronts gives the position at which the point appears.
    const ScenePoint p = frame_.to_scene(truth);
    double mean_offset = 0, cross = 0;
    for (const Anchor &a : anchors_) {
        const double dx = a.x - p.x, dy = a.y - p.y;
        const double offset = (a.distance - std::sqrt(dx * dx + dy * dy + a.z * a.z)) / a.range_cosine;
        mean_offset += offset;
        cross += a.fit_weight * offset;
    }
    mean_offset /= static_cast<double>(anchors_.size());
    return {mean_offset - mean_slope_ * cross, cross};
}

double WavefrontCurvature::shown_range(double true_range, double shown_cross) const {
    // Each step leaves about a hundredth of the error, because the displacement changes by about 0.01 m per metre.
    FramePoint truth{true_range, shown_cross};
    FramePoint shown = shown_at(truth);
    for (int step = 0; step < 2; ++step) {
        truth.cross += shown_cross - shown.cross;
        shown = shown_at(truth);
    }
    return shown.range;
}

} // namespace sar
