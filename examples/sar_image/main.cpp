// Spotlight SAR image formation in parallel. Five transfers reorganise the data:
//
//   pulses    one process  -> all: whole pulses            then range resampling, pulse by pulse
//   turn      whole pulses -> whole wavenumbers            then the azimuth transform, wavenumber by wavenumber
//   columns   whole wavenumbers -> whole columns           then the range transform, column by column
//   ranges    whole columns -> whole ranges                then cross-range resampling, range by range
//   image     whole ranges -> one process, as scene x y    then the picture
#include "gotcha_reader.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "polar_format.hpp"
#include "process.hpp"
#include "reorganisation.hpp"
#include "report.hpp"
#include "simulated_scene.hpp"

#include <cstdio>

namespace sar {
namespace {

PhaseHistory load(const Options &options) {
    PhaseHistory history;
    on_first_process([&] {
        history = options.data_folder.empty() ? simulate_phase_history()
                                              : read_gotcha(options.data_folder, options.autofocus);
    });
    broadcast(history.collection);
    return history;
}

void write_results(const Options &options, const Collection &collection, const Geometry &geometry,
                   const Image &image) {
    const std::string scene = options.data_folder.empty() ? "Simulated scene" : "Spotlight SAR image";
    print_collection(collection, geometry, image.axis.step);
    if (options.data_folder.empty())
        print_comparison(image, simulated_targets());
    print_brightest(image, static_cast<std::size_t>(options.points));
    write_picture(image, options.range_db, scene + ": " + describe_collection(collection), options.picture_file);
    if (!options.raw_file.empty())
        write_raw(image, options.raw_file);
}

void form_image(const Options &options) {
    StageTimes times;
    PhaseHistory history;
    times.measure("read or simulate", [&] { history = load(options); });

    const Collection &collection = history.collection;
    const Geometry geometry = make_geometry(collection, options.extent);
    const WavefrontCurvature curvature(collection, geometry);
    const Grid axis = pixel_positions(options.extent, options.pixels);

    constexpr Side first_by_rows{Where::first_process, Lines::rows};
    constexpr Side first_by_columns{Where::first_process, Lines::columns};
    constexpr Side all_by_rows{Where::all_processes, Lines::rows};
    constexpr Side all_by_columns{Where::all_processes, Lines::columns};
    const std::int64_t pulse_count = collection.pulse_count();
    const std::int64_t frequency_count = collection.frequency.count;
    const std::int64_t wavenumber_count = geometry.wavenumber.count;
    const std::int64_t column_count = geometry.column.count;

    Reorganisation pulses("pulses", pulse_count, frequency_count, first_by_rows, all_by_rows,
                          history.samples.data());
    Reorganisation turn("turn", pulse_count, wavenumber_count, all_by_rows, all_by_columns);
    Reorganisation columns("columns", wavenumber_count, column_count, all_by_rows, all_by_columns);
    Reorganisation ranges("ranges", column_count, axis.count, all_by_rows, all_by_columns);
    // Ranges x cross-ranges arrive as lines of equal y. If range runs along x, the sink's layout transposes them.
    Reorganisation image("image", axis.count, axis.count, all_by_rows,
                         geometry.frame.range_is_x ? first_by_columns : first_by_rows);
    times.measure("DRI commit", [] { dri::commit(); });

    RangeResampling resample_range(collection, geometry, options.autofocus);
    AzimuthTransform transform_azimuth(geometry);
    RangeTransform transform_range(geometry, curvature, axis);
    CrossRangeResampling resample_cross_range(geometry, curvature, axis);

    LocalLines arrived;
    times.measure("DRI pulses: scatter", [&] { arrived = pulses.run(); });
    times.measure("range resampling", [&] { for_each_line(arrived, turn.source(), resample_range); });
    times.measure("DRI turn: pulses to wavenumbers", [&] { arrived = turn.run(); });
    times.measure("azimuth transform", [&] { for_each_line(arrived, columns.source(), transform_azimuth); });
    times.measure("DRI columns: wavenumbers to columns", [&] { arrived = columns.run(); });
    times.measure("range transform", [&] { for_each_line(arrived, ranges.source(), transform_range); });
    times.measure("DRI ranges: columns to ranges", [&] { arrived = ranges.run(); });
    times.measure("cross-range resampling", [&] { for_each_line(arrived, image.source(), resample_cross_range); });
    times.measure("DRI image: gather", [&] { arrived = image.run(); });
    times.measure("picture and points", [&] {
        on_first_process([&] { write_results(options, collection, geometry, Image(axis, arrived.data)); });
    });

    const std::string table = times.table();
    if (is_first_process())
        std::printf("%s\nThe picture is in %s\n", table.c_str(), options.picture_file.c_str());
}

int run(int argc, char **argv) {
    int exit_code = exit_ok;
    if (const auto options = parse_options(argc, argv, exit_code))
        form_image(*options);
    return exit_code;
}

} // namespace
} // namespace sar

int main(int argc, char **argv) { return common::run_program("sar_image", argc, argv, sar::run); }
