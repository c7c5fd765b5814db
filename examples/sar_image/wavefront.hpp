// The displacement that curved wavefronts cause in a polar format picture.
#pragma once

#include "geometry.hpp"

namespace sar {

class WavefrontCurvature {
public:
    WavefrontCurvature(const Collection &collection, const Geometry &geometry);

    // The position at which the polar format shows a point of the ground.
    FramePoint shown_at(FramePoint truth) const;

    // The range at which column `shown_cross` shows what lies at the true range `true_range`.
    double shown_range(double true_range, double shown_cross) const;

private:
    // One of the pulses over which the displacement is fitted.
    struct Anchor {
        double x, y, z, distance;
        double range_cosine;
        double slope;      // minus the mean slope
        double fit_weight; // weight of this pulse in the fitted cross-range
    };

    Frame frame_;
    double mean_slope_ = 0;
    std::vector<Anchor> anchors_;
};

} // namespace sar
