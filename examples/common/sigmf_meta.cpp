#include "program.hpp"
#include "sigmf.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

namespace common {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *meta_suffix = ".sigmf-meta";
constexpr const char *data_suffix = ".sigmf-data";
constexpr std::int64_t most_channels = 1 << 20;
constexpr double least_rate = 1, most_rate = 1e12, most_frequency = 1e12; // Hz; the limits of SigMF's schema

fs::path with_suffix(const fs::path &name, const char *suffix) {
    const bool has_one = name.extension() == meta_suffix || name.extension() == data_suffix;
    fs::path path = has_one ? fs::path(name).replace_extension() : name;
    path += suffix;
    return path;
}

[[noreturn]] void refuse(const fs::path &path, const std::string &why) {
    throw Failure(exit_data, path.string() + ": " + why);
}

Json parse(const fs::path &path) {
    std::ifstream file(path);
    if (!file || fs::is_directory(path))
        refuse(path, "cannot be read");
    Json meta = Json::parse(file, nullptr, false);
    if (meta.is_discarded())
        refuse(path, "is not JSON, or is truncated");
    if (!meta.is_object() || !meta.contains("global") || !meta["global"].is_object())
        refuse(path, "is not SigMF metadata: it has no object \"global\"");
    return meta;
}

std::int64_t whole_number(const fs::path &path, const Json &object, const char *key, std::int64_t missing) {
    if (!object.contains(key))
        return missing;
    if (!object[key].is_number_integer())
        refuse(path, std::string(key) + " is not an integer");
    return object[key].get<std::int64_t>();
}

std::string in_hertz(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g Hz", value);
    return text;
}

double frequency(const fs::path &path, const Json &object, const char *key, double min, double max) {
    if (!object[key].is_number())
        refuse(path, std::string(key) + " is not a number");
    const auto value = object[key].get<double>();
    if (!(value >= min && value <= max))
        refuse(path, std::string(key) + " is " + in_hertz(value) + ", not from " + in_hertz(min) + " to " +
                         in_hertz(max));
    return value;
}

std::string text(const fs::path &path, const Json &object, const char *key) {
    if (!object.contains(key) || !object[key].is_string())
        refuse(path, std::string(key) + " is missing, or is not a string");
    return object[key].get<std::string>();
}

SampleType sample_type(const fs::path &path, const std::string &name) {
    for (const SampleType type : {SampleType::ci16, SampleType::cf32})
        if (name == name_of(type))
            return type;
    refuse(path, "core:datatype is " + name + "; this program reads ci16_le and cf32_le");
}

// Returns the frequency of the first capture. A capture's properties hold from a sample on. Header bytes between
// captures would move all samples behind them, so they are refused.
double first_frequency(const fs::path &path, const Json &meta) {
    if (!meta.contains("captures") || !meta["captures"].is_array())
        refuse(path, "captures are missing");
    for (const Json &capture : meta["captures"]) {
        if (!capture.is_object() || whole_number(path, capture, "core:sample_start", -1) < 0)
            refuse(path, "a capture has no core:sample_start");
        if (whole_number(path, capture, "core:header_bytes", 0) != 0)
            refuse(path, "core:header_bytes other than 0 is not supported");
    }
    const Json &captures = meta["captures"];
    return !captures.empty() && captures[0].contains("core:frequency")
               ? frequency(path, captures[0], "core:frequency", -most_frequency, most_frequency)
               : 0;
}

} // namespace

const char *name_of(SampleType type) { return type == SampleType::ci16 ? "ci16_le" : "cf32_le"; }

std::int64_t sample_bytes(SampleType type) { return type == SampleType::ci16 ? 4 : 8; }

fs::path sigmf_meta_path(const fs::path &name) { return with_suffix(name, meta_suffix); }

fs::path sigmf_data_path(const fs::path &name) { return with_suffix(name, data_suffix); }

Recording describe_sigmf(const fs::path &name) {
    const fs::path path = sigmf_meta_path(name), data_path = sigmf_data_path(name);
    const Json meta = parse(path);
    const Json &global = meta["global"];
    text(path, global, "core:version");
    Recording recording;
    recording.type = sample_type(path, text(path, global, "core:datatype"));
    recording.channels = whole_number(path, global, "core:num_channels", 1);
    if (recording.channels < 1 || recording.channels > most_channels)
        refuse(path, "core:num_channels is " + std::to_string(recording.channels));
    if (!global.contains("core:sample_rate"))
        refuse(path, "core:sample_rate is missing");
    recording.sample_rate = frequency(path, global, "core:sample_rate", least_rate, most_rate);
    if (global.contains("core:dataset") || whole_number(path, global, "core:trailing_bytes", 0) != 0)
        refuse(path, "only data in " + data_path.filename().string() + " are supported");
    recording.centre_frequency = first_frequency(path, meta);

    std::error_code error;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(data_path, error));
    if (error)
        refuse(data_path, "cannot be read");
    const std::int64_t step = sample_bytes(recording.type) * recording.channels;
    if (bytes % step != 0)
        refuse(data_path, "truncated: " + std::to_string(bytes) + " bytes are not a multiple of " +
                              std::to_string(step) + ", the size of a sample of " +
                              std::to_string(recording.channels) + " channels");
    recording.samples = bytes / step;
    return recording;
}

void create_sigmf(const fs::path &name, const Recording &recording, const std::string &description) {
    const fs::path path = sigmf_meta_path(name), data_path = sigmf_data_path(name);
    const Json meta = {
        {"global",
         {{"core:datatype", name_of(recording.type)},
          {"core:sample_rate", recording.sample_rate},
          {"core:version", "1.0.0"},
          {"core:num_channels", recording.channels},
          {"core:description", description}}},
        {"captures", Json::array({{{"core:sample_start", 0}, {"core:frequency", recording.centre_frequency}}})},
        {"annotations", Json::array()},
    };
    // Everything that can fail is done before an older recording is replaced.
    require_writable(path);
    require_writable(data_path);
    const auto bytes =
        static_cast<std::uintmax_t>(sample_bytes(recording.type) * recording.channels * recording.samples);
    for (const std::uintmax_t size :
         {bytes, std::uintmax_t{0}, bytes}) { // size 0 in between discards the old contents
        std::error_code error;
        fs::resize_file(data_path, size, error);
        if (error)
            throw Failure(exit_output, data_path.string() + ": cannot be made " + std::to_string(size) +
                                           " bytes long: " + error.message());
    }
    std::ofstream file(path);
    file << meta.dump(4) << '\n';
    if (!file.flush())
        throw Failure(exit_output, path.string() + ": cannot be written");
}

} // namespace common
