// A passive sonar as a pipeline of stages on separate processes. These transfers carry each frame:
//
//   series     front end -> front end              sections of time -> windows that overlap, then transforms
//   spectra    front end -> broad band, all lines  time -> frequency, then beams
//                        -> narrow band, its lines  a second sink of the same source
//   bearings   broad band -> display               then the sources
//   lines      narrow band -> display              then the lines
//
// Each frame carries the time at which it started.
#include "display.hpp"
#include "options.hpp"
#include "program.hpp"
#include "stages.hpp"

#include <optional>

namespace sonar {
namespace {

constexpr const char *program = "sonar_beamformer";

struct Pipeline {
    FrontEnd front;
    BroadBand broad;
    NarrowBand narrow;
    Arrivals arrivals;

    Pipeline(const Options &options, const Roles &roles, const Band &band)
        : front(options, roles), broad(options, roles), narrow(options, roles, band),
          arrivals(options, roles, band) {}
};

// Runs the next frame. Each process runs its stages in the order of the pipeline. A process that waits therefore
// waits for an earlier stage or an earlier frame of another process, so some process can always go on.
//
// Returns false after the last frame, and if the process has no stage.
bool run_frame(Pipeline &pipeline, Display &display) {
    bool more = false;
    if (pipeline.front.has_part())
        more = pipeline.front.run();
    if (pipeline.broad.has_part())
        more = pipeline.broad.run();
    if (pipeline.narrow.has_part())
        more = pipeline.narrow.run();
    if (pipeline.arrivals.has_part() && (more = pipeline.arrivals.run()))
        display.follow(pipeline.arrivals.frame(), pipeline.arrivals.bearings(), pipeline.arrivals.lines());
    return more;
}

int run(int argc, char **argv) {
    int exit_code = common::exit_ok;
    auto options = parse_options(argc, argv, exit_code);
    if (!options)
        return exit_code;
    const Roles roles = deal_roles(common::process_count(), options->front, options->broad, options->narrow);
    const common::Recording frames = prepare_input(*options);
    const Band band = narrow_band(*options);
    common::on_process(roles.display[0], [&] { common::require_writable(options->picture_file); });
    common::check_samples(options->recordings, frames.samples, roles.front);

    std::optional<Pipeline> pipeline;
    Display display(*options, roles, band);
    common::alone(program, [&] { pipeline.emplace(*options, roles, band); });
    dri::commit();
    create_recording(*options, frames);
    common::alone(program, [&] {
        while (run_frame(*pipeline, display)) {
        }
    });
    common::on_process(roles.display[0], [&] {
        display.summarise();
        display.write_picture();
    });
    return exit_code;
}

} // namespace
} // namespace sonar

int main(int argc, char **argv) { return common::run_program("sonar_beamformer", argc, argv, sonar::run); }
