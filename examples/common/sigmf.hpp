// Recordings in the Signal Metadata Format, SigMF 1.0: NAME.sigmf-meta (JSON) beside NAME.sigmf-data (raw samples
// with interleaved channels).
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace common {

enum class SampleType { ci16, cf32 }; // ci16_le and cf32_le, the types that these programs support
const char *name_of(SampleType type);
std::int64_t sample_bytes(SampleType type); // per channel

struct Recording {
    SampleType type = SampleType::ci16;
    std::int64_t channels = 1;
    std::int64_t samples = 0;    // of each channel
    double sample_rate = 0;      // Hz
    double centre_frequency = 0; // Hz; 0 if the recording does not state it
};

// NAME, NAME.sigmf-meta and NAME.sigmf-data all name the same recording.
std::filesystem::path sigmf_meta_path(const std::filesystem::path &name);
std::filesystem::path sigmf_data_path(const std::filesystem::path &name);

// Reads the metadata and the size of the data file. Throws Failure(exit_data).
Recording describe_sigmf(const std::filesystem::path &name);

// Writes the metadata and a data file of the right size with zeros. Its number of bytes must fit int64_t. Replaces
// a recording of that name; if this one cannot be created, the old one stays as it is. Throws
// Failure(exit_output).
void create_sigmf(const std::filesystem::path &name, const Recording &recording, const std::string &description);

// The samples of a recording. Several processes may open the same file and work on different samples.
class SampleFile {
public:
    enum class Use { read, write };
    // Throws Failure with exit_data for reading or exit_output for writing, as do read and write.
    SampleFile(const std::filesystem::path &name, SampleType type, Use use);
    ~SampleFile();
    SampleFile(const SampleFile &) = delete;
    SampleFile &operator=(const SampleFile &) = delete;

    // first, count: in samples, where each channel's samples count. If the file has the other type, samples are
    // converted: full scale of an integer is 1 as a float, and integers saturate.
    void read(std::int64_t first, std::int64_t count, std::complex<std::int16_t> *samples) const;
    void read(std::int64_t first, std::int64_t count, std::complex<float> *samples) const;
    void write(std::int64_t first, std::int64_t count, const std::complex<std::int16_t> *samples) const;
    void write(std::int64_t first, std::int64_t count, const std::complex<float> *samples) const;

    // The largest magnitude of a real or imaginary part. Up to this value, the sum of powers over all channels,
    // windows and lines that the options allow fits a float.
    static constexpr float greatest = 0x1p32f;
    struct Unusable {
        std::int64_t index; // counted as `first`
        std::complex<float> value;
    };
    // The first of these samples with a part that is not finite or exceeds `greatest`. Integer samples are always
    // usable.
    std::optional<Unusable> find_unusable(std::int64_t first, std::int64_t count) const;

private:
    std::filesystem::path path_;
    SampleType type_;
    int descriptor_;
};

} // namespace common
