// A pulse-Doppler radar as a pipeline of stages on separate processes. Three transfers carry each frame:
//
//   samples     front end -> front end     whole pulses -> ranges with overlap, then pulse compression
//   turn        front end -> Doppler       lines of ranges -> lines of pulses, then Doppler filter and detection
//   detections  Doppler -> tracker         then a line of text per frame
//
// A fourth, map, carries the data for the last frame's picture. Each frame carries the time at which it started.
// Source and sinks of a transfer may be several frames apart, limited by their buffers.
#include "options.hpp"
#include "pipeline.hpp"
#include "program.hpp"
#include "roles.hpp"
#include "tracker.hpp"

#include <optional>

namespace radar {
namespace {

constexpr const char *program = "range_doppler";

int run(int argc, char **argv) {
    int exit_code = common::exit_ok;
    auto options = parse_options(argc, argv, exit_code);
    if (!options)
        return exit_code;
    const Roles roles = deal_roles(common::process_count(), options->front, options->doppler);
    const common::Recording frames = prepare_input(*options);
    common::on_process(roles.tracker[0], [&] { common::require_writable(options->picture_file); });
    common::check_samples(options->recordings, frames.samples, roles.front);

    std::optional<Pipeline> pipeline;
    Tracker tracker(*options);
    common::alone(program, [&] { pipeline.emplace(*options, roles); });
    dri::commit();
    create_recording(*options, frames);
    common::alone(program, [&] {
        const auto follow = [&](const dri::Frame &frame, auto reports) { tracker.follow(frame, reports); };
        while (run_frame(*pipeline, follow)) {
        }
        hand_over_map(*pipeline);
    });
    common::on_process(roles.tracker[0], [&] {
        tracker.summarise();
        tracker.write_picture(pipeline->arrivals.map());
    });
    return exit_code;
}

} // namespace
} // namespace radar

int main(int argc, char **argv) { return common::run_program("range_doppler", argc, argv, radar::run); }
