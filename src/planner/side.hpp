// One side of a transfer, as all processes know it after they agreed.
#pragma once

#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"

#include <memory>
#include <vector>

namespace dri::planner {

struct Side {
    std::shared_ptr<const model::Distribution> dist;
    std::vector<model::Layout> layouts; // one per group position, or a single one for all
    double scale = 1;                   // sink: the factor that scalars are multiplied by
    model::Strips strips = {};          // with strips, dist is the distribution of the first strip

    const model::Layout &layout(int position) const {
        return layouts.size() == 1 ? layouts.front() : layouts[static_cast<size_t>(position)];
    }
};

// Bytes of the buffer at a group position. With strips, those of the first strip.
int64_t buffer_bytes(const Side &side, int position);

} // namespace dri::planner
