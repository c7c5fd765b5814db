#include "program.hpp"
#include "sigmf.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace common {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are written in the byte order of memory");

constexpr float full_scale = 32768;
constexpr std::int64_t chunk = 1 << 16; // samples that are converted at once

using Short = std::complex<std::int16_t>;
using Float = std::complex<float>;

std::int16_t to_short(float value) {
    return static_cast<std::int16_t>(std::lrint(std::clamp(value * full_scale, -full_scale, full_scale - 1)));
}

void convert(const Float *from, std::int64_t count, Short *to) {
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = {to_short(from[i].real()), to_short(from[i].imag())};
}

void convert(const Short *from, std::int64_t count, Float *to) {
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = Float(from[i].real(), from[i].imag()) / full_scale;
}

// Calls move(file offset, bytes moved so far, bytes left) until all bytes have moved. Returns false if that fails.
template <typename Move> bool move_all(std::int64_t offset, std::int64_t bytes, Move &&move) {
    for (std::int64_t done = 0; done < bytes;) {
        const ssize_t moved = move(offset + done, done, static_cast<std::size_t>(bytes - done));
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        done += moved;
    }
    return true;
}

template <typename Sample>
void read_raw(int descriptor, const std::string &path, std::int64_t first, std::int64_t count, Sample *samples) {
    constexpr std::int64_t bytes = sizeof(Sample);
    auto *const to = reinterpret_cast<char *>(samples);
    if (!move_all(first * bytes, count * bytes, [&](std::int64_t offset, std::int64_t done, std::size_t left) {
            return pread(descriptor, to + done, left, offset);
        }))
        throw Failure(exit_data, path + ": cannot be read completely");
}

template <typename Sample>
void write_raw(int descriptor, const std::string &path, std::int64_t first, std::int64_t count,
               const Sample *samples) {
    constexpr std::int64_t bytes = sizeof(Sample);
    const auto *const from = reinterpret_cast<const char *>(samples);
    if (!move_all(first * bytes, count * bytes, [&](std::int64_t offset, std::int64_t done, std::size_t left) {
            return pwrite(descriptor, from + done, left, offset);
        }))
        throw Failure(exit_output, path + ": cannot be written");
}

template <typename InFile, typename Sample>
void read_converted(int descriptor, const std::string &path, std::int64_t first, std::int64_t count,
                    Sample *samples) {
    std::vector<InFile> raw(static_cast<std::size_t>(std::min(count, chunk)));
    for (std::int64_t done = 0; done < count; done += chunk) {
        const std::int64_t now = std::min(chunk, count - done);
        read_raw(descriptor, path, first + done, now, raw.data());
        convert(raw.data(), now, samples + done);
    }
}

template <typename InFile, typename Sample>
void write_converted(int descriptor, const std::string &path, std::int64_t first, std::int64_t count,
                     const Sample *samples) {
    std::vector<InFile> raw(static_cast<std::size_t>(std::min(count, chunk)));
    for (std::int64_t done = 0; done < count; done += chunk) {
        const std::int64_t now = std::min(chunk, count - done);
        convert(samples + done, now, raw.data());
        write_raw(descriptor, path, first + done, now, raw.data());
    }
}

// The comparisons are false for NaN, so a NaN is not usable.
bool is_usable(const Float &sample) {
    return std::abs(sample.real()) <= SampleFile::greatest && std::abs(sample.imag()) <= SampleFile::greatest;
}

} // namespace

SampleFile::SampleFile(const std::filesystem::path &name, SampleType type, Use use)
    : path_(sigmf_data_path(name)), type_(type),
      descriptor_(open(path_.c_str(), use == Use::read ? O_RDONLY : O_WRONLY)) {
    if (descriptor_ < 0)
        throw Failure(use == Use::read ? exit_data : exit_output,
                      path_.string() + ": cannot be opened: " + std::strerror(errno));
}

SampleFile::~SampleFile() { close(descriptor_); }

void SampleFile::read(std::int64_t first, std::int64_t count, Short *samples) const {
    if (type_ == SampleType::ci16)
        read_raw(descriptor_, path_, first, count, samples);
    else
        read_converted<Float>(descriptor_, path_, first, count, samples);
}

void SampleFile::read(std::int64_t first, std::int64_t count, Float *samples) const {
    if (type_ == SampleType::cf32)
        read_raw(descriptor_, path_, first, count, samples);
    else
        read_converted<Short>(descriptor_, path_, first, count, samples);
}

void SampleFile::write(std::int64_t first, std::int64_t count, const Short *samples) const {
    if (type_ == SampleType::ci16)
        write_raw(descriptor_, path_, first, count, samples);
    else
        write_converted<Float>(descriptor_, path_, first, count, samples);
}

void SampleFile::write(std::int64_t first, std::int64_t count, const Float *samples) const {
    if (type_ == SampleType::cf32)
        write_raw(descriptor_, path_, first, count, samples);
    else
        write_converted<Short>(descriptor_, path_, first, count, samples);
}

std::optional<SampleFile::Unusable> SampleFile::find_unusable(std::int64_t first, std::int64_t count) const {
    if (type_ != SampleType::cf32)
        return std::nullopt;
    std::vector<Float> samples(static_cast<std::size_t>(std::min(count, chunk)));
    for (std::int64_t done = 0; done < count; done += chunk) {
        const std::int64_t now = std::min(chunk, count - done);
        read_raw(descriptor_, path_, first + done, now, samples.data());
        const auto end = samples.begin() + static_cast<std::ptrdiff_t>(now);
        if (const auto found = std::find_if_not(samples.begin(), end, is_usable); found != end)
            return Unusable{first + done + (found - samples.begin()), *found};
    }
    return std::nullopt;
}

} // namespace common
