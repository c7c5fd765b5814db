#include "pipeline.hpp"

namespace radar {

// Each process runs its stages in the order of the pipeline. A process that waits therefore waits for an earlier
// stage or an earlier frame of another process, so some process can always go on.
bool run_frame(Pipeline &pipeline, const Follow &follow) {
    bool more = false;
    if (pipeline.front.has_part())
        more = pipeline.front.run();
    if (pipeline.doppler.has_part())
        more = pipeline.doppler.run();
    if (pipeline.arrivals.has_part() && (more = pipeline.arrivals.run()))
        follow(pipeline.arrivals.frame(), pipeline.arrivals.reports());
    return more;
}

void hand_over_map(Pipeline &pipeline) {
    const bool doppler = pipeline.doppler.has_part();
    if (doppler)
        pipeline.doppler.hand_over_map();
    if (doppler || pipeline.arrivals.has_part())
        dri::run("map");
}

} // namespace radar
