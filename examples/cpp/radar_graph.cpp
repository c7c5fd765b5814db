// The radar of examples/range_doppler as a graph: the same stages, transfers and options, and the same results.
//
// Every process says all of the graph. The library checks it on all of them, and finds in which order a process
// with several roles goes through its stages. The end of the stream, what goes with a frame, and the buffers need
// no line.
//
//     mpirun -n 4 cpp_radar_graph --frames 20        as range_doppler; --help has the options
//
// The first process writes the picture of the graph, radar_graph.dot, which Graphviz draws: who does what, the
// bytes, the time of each part.
#include "detector.hpp"
#include "input.hpp"
#include "program.hpp"
#include "pulse_compression.hpp"
#include "roles.hpp"
#include "tracker.hpp"

#include <dri/dri.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

namespace radar {
namespace {

constexpr const char *program = "cpp_radar_graph";
enum Dimension { channel, pulse, range };

// Of the last frame only, so it is a transfer of its own behind the graph.
void write_picture(const Options &options, const Roles &roles, const Detector &detect, const Tracker &tracker) {
    const dri::Gdo<float, 2> map(options.radar.ranges, options.radar.pulses);
    dri::Source part("map", dri::Dist(map, {dri::block(), dri::whole()}, dri::Group(roles.doppler)));
    dri::Sink all("map", dri::Dist(map, {dri::whole(), dri::whole()}, dri::Group(roles.tracker)));
    dri::commit();
    if (part)
        std::ranges::copy(detect.map(), part.buffer().data());
    if (part || all)
        dri::run("map");
    common::on_process(roles.tracker[0], [&] {
        tracker.summarise();
        tracker.write_picture(all.buffer().data());
    });
}

int run(int argc, char **argv) {
    int exit_code = common::exit_ok;
    auto options = parse_options(argc, argv, exit_code);
    if (!options)
        return exit_code;
    const Roles roles = deal_roles(common::process_count(), options->front, options->doppler);
    const common::Recording frames = prepare_input(*options);
    common::on_process(roles.tracker[0], [&] { common::require_writable(options->picture_file); });
    common::check_samples(options->recordings, frames.samples, roles.front);

    const Radar &radar = options->radar;
    const dri::Group front(roles.front), doppler(roles.doppler), last(roles.tracker);
    const dri::Gdo<cshort, 3> shorts(radar.channels, radar.pulses, radar.ranges);
    const dri::Gdo<cfloat, 3> floats(radar.channels, radar.pulses, radar.ranges);
    const dri::Gdo<Report, 1> reports(roles.doppler.size());
    const auto whole = dri::whole(), cut = dri::block();
    const auto pulse_behind = dri::block().overlap(0, radar.chirp - 1).edges(dri::Edge::truncate, dri::Edge::zero);
    const auto cells = dri::block().overlap(options->cfar.reach(), options->cfar.reach());
    const double scale = 1 / full_scale;

    dri::Graph g;
    // Whole pulses, as the digitisers deliver them, to lines of ranges with the pulse's length behind.
    auto [digits, lines] = g.transfer(
        "samples", dri::end(dri::Dist(shorts, {whole, cut, whole}, front), {.layout = {pulse, range, channel}}),
        dri::end(dri::Dist(floats, {whole, whole, pulse_behind}, front), {.convert = true, .scale = scale}));
    // Lines of ranges to lines of pulses, with the detector's cells at both sides.
    auto [compressed, pulses] =
        g.transfer("turn", dri::end(dri::Dist(shorts, {whole, whole, cut}, front)),
                   dri::end(dri::Dist(floats, {whole, whole, cells}, doppler),
                            {.layout = {range, channel, pulse}, .convert = true, .scale = scale}));
    auto [found, arrived] = g.transfer("detections", dri::end(dri::Dist(reports, {cut}, doppler)),
                                       dri::end(dri::Dist(reports, {whole}, last)));

    const auto input = digits ? std::make_unique<Input>(*options) : nullptr;
    PulseCompression compress(radar);
    Detector detect(*options, pulses.part(range));
    Tracker tracker(*options);
    g.call(
        "digitise",
        [&, own = digits.part(pulse)](dri::Call &call, auto out) {
            call.time(std::chrono::system_clock::now());
            call.record(input->waveform()); // travels with the frame to the last stage
            if (!input->fill(call.frame(), own.left_x, own.right_x, out.data()))
                call.end();
        },
        digits);
    g.call(
        "compress",
        [&](dri::Call &, auto out, auto in) {
            if (out.extent(range) > 0)
                compress.lines(in.data(), radar.channels * radar.pulses, in.extent(range), out.extent(range),
                               out.data());
        },
        compressed, lines);
    g.call(
        "detect", [&](dri::Call &call, auto out, auto in) { detect(call.about(), in.data(), out(0)); }, found,
        pulses);
    g.call(
        "track", [&](dri::Call &call, auto in) { tracker.follow(call.about(), in.span()); }, arrived);

    dri::Plan plan = g.partition();
    plan.commit({.frames = options->buffers, .stream = true});
    create_recording(*options, frames);
    common::alone(program, [&] { plan.stream(); });
    plan.draw(std::filesystem::path(options->picture_file).replace_extension(".dot").string());
    common::alone(program, [&] { write_picture(*options, roles, detect, tracker); });
    return exit_code;
}

} // namespace
} // namespace radar

int main(int argc, char **argv) { return common::run_program(radar::program, argc, argv, radar::run); }
