#include "gotcha_reader.hpp"

#include "mat_file.hpp"
#include "process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace sar {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> data_files(const fs::path &folder) {
    std::error_code error;
    std::vector<fs::path> files;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Failure(exit_data, folder.string() + ": " + error.message());
    for (const auto &entry : entries) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("data_") && entry.path().extension() == ".mat")
            files.push_back(entry.path());
    }
    if (files.empty())
        throw Failure(exit_data, folder.string() + ": no files data_*.mat in this folder");
    std::sort(files.begin(), files.end());
    return files;
}

Grid evenly_spaced(const MatStruct &data, const std::vector<double> &values) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (count < 2)
        data.fail("freq", "fewer than two frequencies");
    const Grid grid{values.front(), (values.back() - values.front()) / static_cast<double>(count - 1), count};
    // The released frequencies have single precision, which rounds them to a kilohertz.
    for (std::int64_t i = 0; i < count; ++i)
        if (!(grid.first > 0 && grid.step > 0) ||
            std::abs(values[static_cast<std::size_t>(i)] - grid.at(i)) > 0.01 * grid.step)
            data.fail("freq", "the frequencies do not increase evenly");
    return grid;
}

bool same(const Grid &a, const Grid &b) {
    return a.count == b.count && std::abs(a.first - b.first) < 0.01 * b.step &&
           std::abs(a.last() - b.last()) < 0.01 * b.step;
}

PhaseHistory read_file(const fs::path &path, bool with_autofocus) {
    const MatStruct data(path, "data");
    PhaseHistory history;
    history.collection.frequency = evenly_spaced(data, data.numbers("freq"));
    const auto frequencies = static_cast<std::size_t>(history.collection.frequency.count);

    std::size_t pulses = 0;
    history.samples = data.complex_columns("fp", frequencies, pulses);
    const std::vector<double> x = data.numbers("x", pulses), y = data.numbers("y", pulses),
                              z = data.numbers("z", pulses), r0 = data.numbers("r0", pulses);
    std::vector<double> range_correction(pulses, 0.0), phase_correction(pulses, 0.0);
    if (with_autofocus) {
        range_correction = data.numbers("af.r_correct", pulses);
        phase_correction = data.numbers("af.ph_correct", pulses);
    }
    for (std::size_t n = 0; n < pulses; ++n) {
        constexpr double tolerance = 0.1; // m
        if (std::abs(std::hypot(x[n], y[n], z[n]) - r0[n]) > tolerance)
            data.fail("r0", "not the distance of the antenna at x, y, z");
        history.collection.pulses.push_back({x[n], y[n], z[n], range_correction[n], phase_correction[n]});
    }
    return history;
}

// Sorts the pulses by azimuth. Azimuth is measured from the middle pulse, so the aperture may cross 360 degrees.
void sort_by_azimuth(PhaseHistory &history) {
    std::vector<Pulse> &pulses = history.collection.pulses;
    const Pulse middle = pulses[pulses.size() / 2];
    const auto azimuth = [&](std::size_t n) {
        const Pulse &p = pulses[n];
        return std::atan2(middle.x * p.y - middle.y * p.x, middle.x * p.x + middle.y * p.y);
    };
    std::vector<std::size_t> order(pulses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return azimuth(a) < azimuth(b); });

    const std::int64_t length = history.collection.frequency.count;
    PhaseHistory sorted;
    sorted.collection.frequency = history.collection.frequency;
    for (const std::size_t n : order) {
        const auto samples = history.samples.begin() + static_cast<std::int64_t>(n) * length;
        sorted.collection.pulses.push_back(pulses[n]);
        sorted.samples.insert(sorted.samples.end(), samples, samples + length);
    }
    history = std::move(sorted);
}

} // namespace

PhaseHistory read_gotcha(const fs::path &folder, bool with_autofocus) {
    PhaseHistory history;
    for (const fs::path &path : data_files(folder)) {
        const PhaseHistory file = read_file(path, with_autofocus);
        Collection &all = history.collection;
        if (all.pulses.empty())
            all.frequency = file.collection.frequency;
        else if (!same(file.collection.frequency, all.frequency))
            throw Failure(exit_data,
                          path.string() + ": data.freq: frequencies differ from those of the files before");
        all.pulses.insert(all.pulses.end(), file.collection.pulses.begin(), file.collection.pulses.end());
        history.samples.insert(history.samples.end(), file.samples.begin(), file.samples.end());
    }
    sort_by_azimuth(history);
    return history;
}

} // namespace sar
