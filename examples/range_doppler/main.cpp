// A pulse-Doppler radar as a pipeline of stages on processes of their own. Four transfers carry each frame:
//
//   samples     front end -> front end     whole pulses -> ranges with overlap, then pulse compression
//   turn        front end -> Doppler       lines of ranges -> lines of pulses, then Doppler filter and detection
//   detections  Doppler -> tracker         then a line about the frame
//   stamp       front end -> tracker       when the frame began
//
// and one, map, the last frame's picture. Source and sinks of a transfer may be a frame or more apart, as far as
// their buffers reach.
#include "options.hpp"
#include "program.hpp"
#include "roles.hpp"
#include "stages.hpp"
#include "tracker.hpp"

#include <optional>

namespace radar {
namespace {

constexpr const char *program = "range_doppler";

struct Pipeline {
    FrontEnd front;
    DopplerStage doppler;
    Arrivals arrivals;

    Pipeline(const Options &options, const Roles &roles)
        : front(options, roles), doppler(options, roles), arrivals(options, roles) {}
};

// Each process goes through the stages that it has, in the order of the pipeline. Whoever waits then waits for an
// earlier stage or an earlier frame of another process, so somebody can always go on.
void run_frames(Pipeline &pipeline, std::int64_t frames, Tracker &tracker) {
    const bool front = pipeline.front.has_part(), doppler = pipeline.doppler.has_part(),
               arrivals = pipeline.arrivals.has_part();
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        if (front)
            pipeline.front.run(frame);
        if (front || doppler)
            common::move_frame("turn");
        if (doppler)
            pipeline.doppler.run(frame);
        if (doppler || arrivals)
            common::move_frame("detections");
        if (arrivals)
            tracker.follow(pipeline.arrivals.take_stamp(), pipeline.arrivals.reports());
    }
    if (doppler)
        pipeline.doppler.hand_over_map();
    if (doppler || arrivals)
        common::move_frame("map");
}

int run(int argc, char **argv) {
    int exit_code = common::exit_ok;
    auto options = parse_options(argc, argv, exit_code);
    if (!options)
        return exit_code;
    const Roles roles = deal_roles(common::process_count(), options->front, options->doppler);
    prepare_input(*options);
    common::on_process(roles.tracker[0], [&] { common::require_writable(options->picture_file); });

    std::optional<Pipeline> pipeline;
    Tracker tracker(*options);
    common::alone(program, [&] { pipeline.emplace(*options, roles); });
    common::commit_ends();
    common::alone(program, [&] { run_frames(*pipeline, options->frames, tracker); });
    common::on_process(roles.tracker[0], [&] {
        tracker.summarise();
        tracker.write_picture(pipeline->arrivals.map());
    });
    return exit_code;
}

} // namespace
} // namespace radar

int main(int argc, char **argv) { return common::run_program("range_doppler", argc, argv, radar::run); }
