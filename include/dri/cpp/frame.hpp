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
    Frame() { clear(); }
    Frame(const Frame &other) { *this = other; }
    Frame &operator=(const Frame &other) {
        number = other.number;
        time = other.time;
        clear();
        set(other.raw_.data, static_cast<std::size_t>(other.raw_.bytes));
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
    explicit operator DRI_Frame() const { return Frame(*this).to_insert(); }

    std::int64_t number = 0;
    std::chrono::system_clock::time_point time{};

    std::span<const std::byte> bytes() const {
        return {reinterpret_cast<const std::byte *>(raw_.data), static_cast<std::size_t>(raw_.bytes)};
    }
    std::string_view text() const {
        return {reinterpret_cast<const char *>(raw_.data), static_cast<std::size_t>(raw_.bytes)};
    }

private:
    template <class T, std::size_t N> friend class Received;
    template <class T, std::size_t N> friend class Source;

    static std::chrono::system_clock::time_point from_ns(std::int64_t ns) {
        return std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(ns)));
    }
    void clear() {
        raw_.bytes = 0;
        for (std::int32_t &word : raw_.reserved)
            word = 0;
    }
    void set(const void *data, std::size_t size) {
        if (size > 0)
            std::memmove(raw_.data, data, size);
        raw_.bytes = static_cast<std::int32_t>(size);
    }
    void assign(const void *data, std::size_t size) {
        if (size > DRI_MAX_FRAME_BYTES)
            detail::fail(DRI_ERR_ARG, "Frame: " + std::to_string(size) + " bytes, but a frame carries at most " +
                                          std::to_string(static_cast<int>(DRI_MAX_FRAME_BYTES)));
        clear();
        set(data, size);
    }

    // As the C interface takes it.
    const DRI_Frame &to_insert() {
        raw_.number = number;
        raw_.time_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
        return raw_;
    }
    // After the library has written raw_.
    void take_over() {
        number = raw_.number;
        time = from_ns(raw_.time_ns);
    }

    DRI_Frame raw_; // the data beyond its bytes are not set; number and time are those of the members above
};

} // namespace v1
} // namespace dri
