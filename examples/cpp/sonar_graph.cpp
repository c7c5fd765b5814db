// The sonar of examples/sonar_beamformer as a graph: the same classes, transfers and options, and the same
// results.
//
//     mpirun -n 4 cpp_sonar_graph --frames 20        as sonar_beamformer; --help has the options
//
// The first process writes the picture of the graph beside that of the sonar, sonar_beamformer.dot, which Graphviz
// draws.
#include "beams.hpp"
#include "display.hpp"
#include "input.hpp"
#include "program.hpp"
#include "spectra.hpp"

#include <dri/dri.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

namespace sonar {
namespace {

constexpr const char *program = "cpp_sonar_graph";
enum Dimension { window, sensor, line }; // of "spectra"

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

    const Sonar &sonar = options->sonar;
    const std::int64_t windows = sonar.window_count(), sensors = sonar.sensors, bandwidth = band.end - band.first;
    const dri::Group front(roles.front), broad(roles.broad), narrow(roles.narrow), last(roles.display);
    const dri::Gdo<cfloat, 2> series(sonar.samples + sonar.overlap(), sensors);
    const dri::Gdo<cfloat, 3> spectra(windows, sensors, sonar.window);
    const dri::Gdo<cfloat, 3> in_band = spectra.subset({0, 0, band.first}, {windows, sensors, bandwidth});
    const dri::Gdo<float, 3> bearings(roles.broad.size(), windows, bearing_count);
    const dri::Gdo<float, 2> lines(bandwidth, bearing_count);
    const auto whole = dri::whole(), cut = dri::block();
    const dri::Options lines_first{.layout = {line, window, sensor}};
    const dri::Dist by_window(spectra, {cut, whole, whole}, front);
    const DRI_Part_tuple mine = by_window.tuples()[window];
    const std::int64_t behind = mine.left_x == mine.right_x ? 0 : sonar.overlap();

    dri::Graph g;
    // Sections of time to whole windows that overlap, sensor by sensor.
    auto [samples, heard] =
        g.transfer("series", dri::end(dri::Dist(series, {cut, whole}, front)),
                   dri::end(dri::Dist(series,
                                      dri::pieces({{0, mine.left_x * sonar.hop, mine.right_x * sonar.hop, behind},
                                                   {0, 0, sensors, 0}}),
                                      front),
                            {.layout = dri::col_major}));
    // Time to frequency: one source for two groups of sinks, of which one takes its band alone.
    auto [transformed, all_lines, some] = g.transfer(
        "spectra", dri::end(by_window), dri::end(dri::Dist(spectra, {whole, whole, cut}, broad), lines_first),
        dri::end(dri::Dist(in_band, {whole, whole, cut}, narrow), lines_first));
    auto [sums, sums_of_all] = g.transfer("bearings", dri::end(dri::Dist(bearings, {cut, whole, whole}, broad)),
                                          dri::end(dri::Dist(bearings, {whole, whole, whole}, last)));
    auto [powers, powers_of_all] = g.transfer("lines", dri::end(dri::Dist(lines, {cut, whole}, narrow)),
                                              dri::end(dri::Dist(lines, {whole, whole}, last)));

    const auto input = samples ? std::make_unique<Input>(*options) : nullptr;
    const DRI_Part_tuple wide = all_lines.part(line), near = some.part(line);
    Spectrum transform(sonar);
    Beams wide_beams(sonar, wide.left_x, wide.right_x);
    Beams narrow_beams(sonar, band.first + near.left_x, band.first + near.right_x);
    Display display(*options, roles, band);
    g.call(
        "listen",
        [&, time = samples.part(0)](dri::Call &call, auto out) {
            call.time(std::chrono::system_clock::now());
            if (!input->fill(call.frame(), time.left_x, time.right_x - time.left_x, out.data()))
                call.end();
        },
        samples);
    g.call(
        "transform",
        [&](dri::Call &, auto out, auto in) {
            cfloat *to = out.data();
            for (std::int64_t w = 0; w < out.extent(window); ++w)
                for (std::int64_t s = 0; s < sensors; ++s, to += sonar.window)
                    transform(in.data() + s * in.extent(0) + w * sonar.hop, to);
        },
        transformed, heard);
    g.call(
        "broad band",
        [&](dri::Call &, auto power, auto in) {
            const cfloat *x = in.data();
            std::ranges::fill(power.span(), 0.0f);
            for (std::int64_t l = wide.left_x; l < wide.right_x; ++l)
                for (std::int64_t w = 0; w < windows; ++w, x += sensors)
                    wide_beams.add_power(l, x, 1, power.data() + w * bearing_count);
        },
        sums, all_lines);
    g.call(
        "narrow band",
        [&](dri::Call &, auto power, auto in) {
            const cfloat *x = in.data();
            std::ranges::fill(power.span(), 0.0f);
            for (std::int64_t l = 0; l < near.right_x - near.left_x; ++l)
                for (std::int64_t w = 0; w < windows; ++w, x += sensors)
                    narrow_beams.add_power(band.first + near.left_x + l, x, 1 / static_cast<float>(windows),
                                           power.data() + l * bearing_count);
        },
        powers, some);
    // Both are of one frame: the plan sees to that.
    g.call(
        "display",
        [&](dri::Call &call, auto sums_, auto lines_) {
            display.follow(call.about(), sums_.data(), lines_.data());
        },
        sums_of_all, powers_of_all);

    dri::Plan plan = g.partition();
    plan.commit({.frames = options->buffers, .stream = true});
    create_recording(*options, frames);
    common::alone(program, [&] { plan.stream(); });
    plan.draw(std::filesystem::path(options->picture_file).replace_extension(".dot").string());
    common::on_process(roles.display[0], [&] {
        display.summarise();
        display.write_picture();
    });
    return exit_code;
}

} // namespace
} // namespace sonar

int main(int argc, char **argv) { return common::run_program(sonar::program, argc, argv, sonar::run); }
