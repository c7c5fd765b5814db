// What travels with a frame of a stream.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/stream.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace dri {
inline namespace v1 {

// Number, time and up to DRI_MAX_FRAME_BYTES bytes of the user's. Source::insert() ignores the number, because the
// library counts, and replaces a time of 0 by the clock's.
class Frame {
public:
    Frame() = default;
    Frame(const Frame &other) : Frame(other.bytes()) {
        number = other.number;
        time = other.time;
    }
    Frame &operator=(const Frame &other) {
        number = other.number;
        time = other.time;
        size_ = other.size_;
        std::memmove(data_, other.data_, size_);
        return *this;
    }
    // Throws DRI_ERR_ARG if the text or the bytes are too long.
    Frame(std::string_view text) { assign(text.data(), text.size()); }
    Frame(const char *text) : Frame(std::string_view(text)) {}
    Frame(const std::string &text) : Frame(std::string_view(text)) {}
    explicit Frame(std::span<const std::byte> bytes) { assign(bytes.data(), bytes.size()); }

    explicit Frame(const DRI_Frame &frame) { *this = frame; }
    Frame &operator=(const DRI_Frame &frame) {
        assign(frame.data, static_cast<std::size_t>(frame.bytes));
        number = frame.number;
        time = from_ns(frame.time_ns);
        return *this;
    }
    explicit operator DRI_Frame() const {
        DRI_Frame frame; // the library reads no more than the bytes that are set
        for (std::int32_t &word : frame.reserved)
            word = 0;
        frame.number = number;
        frame.time_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
        frame.bytes = static_cast<std::int32_t>(size_);
        std::memcpy(frame.data, data_, size_);
        return frame;
    }

    std::int64_t number = 0;
    std::chrono::system_clock::time_point time{};

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    std::string_view text() const { return {reinterpret_cast<const char *>(data_), size_}; }

private:
    static std::chrono::system_clock::time_point from_ns(std::int64_t ns) {
        return std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(ns)));
    }
    void assign(const void *data, std::size_t size) {
        if (size > DRI_MAX_FRAME_BYTES)
            detail::fail(DRI_ERR_ARG, "Frame: " + std::to_string(size) + " bytes, but a frame carries at most " +
                                          std::to_string(static_cast<int>(DRI_MAX_FRAME_BYTES)));
        if (size > 0)
            std::memcpy(data_, data, size);
        size_ = size;
    }

    std::size_t size_ = 0;
    std::byte data_[DRI_MAX_FRAME_BYTES]; // the first size_ of them are set
};

} // namespace v1
} // namespace dri
