#include "pipeline.hpp"

#include "program.hpp"

namespace radar {

// Each process goes through the stages that it has, in the order of the pipeline. Whoever waits then waits for an
// earlier stage or an earlier frame of another process, so somebody can always go on.
void run_frames(Pipeline &pipeline, std::int64_t first, std::int64_t end, const Follow &follow) {
    const bool front = pipeline.front.has_part(), doppler = pipeline.doppler.has_part(),
               arrivals = pipeline.arrivals.has_part();
    for (std::int64_t frame = first; frame < end; ++frame) {
        if (front)
            pipeline.front.run(frame);
        if (front || doppler)
            common::move_frame("turn");
        if (doppler)
            pipeline.doppler.run(frame);
        if (doppler || arrivals)
            common::move_frame("detections");
        if (arrivals)
            follow(pipeline.arrivals.take_stamp(), pipeline.arrivals.reports());
    }
}

void hand_over_map(Pipeline &pipeline) {
    const bool doppler = pipeline.doppler.has_part();
    if (doppler)
        pipeline.doppler.hand_over_map();
    if (doppler || pipeline.arrivals.has_part())
        common::move_frame("map");
}

} // namespace radar
