// Recordings in the Signal Metadata Format, SigMF 1.0: NAME.sigmf-meta (JSON) beside NAME.sigmf-data (raw samples,
// the channels in turn).
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace common {

enum class SampleType { ci16, cf32 }; // ci16_le and cf32_le, the two that these programs read and write
const char *name_of(SampleType type);
std::int64_t sample_bytes(SampleType type); // of one channel

struct Recording {
    SampleType type = SampleType::ci16;
    std::int64_t channels = 1;
    std::int64_t samples = 0;    // of each channel
    double sample_rate = 0;      // Hz
    double centre_frequency = 0; // Hz; 0 where the recording does not say
};

// NAME, NAME.sigmf-meta and NAME.sigmf-data all name the same recording.
std::filesystem::path sigmf_meta_path(const std::filesystem::path &name);
std::filesystem::path sigmf_data_path(const std::filesystem::path &name);

// Reads the metadata and looks at the size of the data. Throws Failure(exit_data).
Recording describe_sigmf(const std::filesystem::path &name);

// Writes the metadata, and makes a data file of the right size with zeros; its bytes must fit an int64_t. A
// recording of that name is replaced, but stays as it is where this one cannot be made. Throws
// Failure(exit_output).
void create_sigmf(const std::filesystem::path &name, const Recording &recording, const std::string &description);

// The samples of a recording; several processes may have the same file open and work on different samples.
class SampleFile {
public:
    enum class Use { read, write };
    // Throws Failure: exit_data or exit_output, as do read and write.
    SampleFile(const std::filesystem::path &name, SampleType type, Use use);
    ~SampleFile();
    SampleFile(const SampleFile &) = delete;
    SampleFile &operator=(const SampleFile &) = delete;

    // first, count: in samples, each channel's counted. Where the file has the other type, full scale of an
    // integer is 1 of a float, and integers saturate.
    void read(std::int64_t first, std::int64_t count, std::complex<std::int16_t> *samples) const;
    void read(std::int64_t first, std::int64_t count, std::complex<float> *samples) const;
    void write(std::int64_t first, std::int64_t count, const std::complex<std::int16_t> *samples) const;
    void write(std::int64_t first, std::int64_t count, const std::complex<float> *samples) const;

    // The greatest part of a sample, of either sign. Up to here the powers of all channels, windows and lines that
    // the programs can be told to add up are floats.
    static constexpr float greatest = 0x1p32f;
    struct Unusable {
        std::int64_t index; // as `first` counts
        std::complex<float> value;
    };
    // The first of these samples with a part that is no finite number or beyond `greatest`; integers have none.
    std::optional<Unusable> find_unusable(std::int64_t first, std::int64_t count) const;

private:
    std::filesystem::path path_;
    SampleType type_;
    int descriptor_;
};

} // namespace common
