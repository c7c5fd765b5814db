// What travels with each frame of a stream, beside its data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dri {

// Travels as it is.
struct FrameHeader {
    static constexpr int32_t max_bytes = 256;
    int64_t number = 0; // of the frame, from 0
    int64_t time_ns = 0;
    int32_t bytes = 0;  // of data
    int32_t closes = 0; // 1: there is no such frame, the stream is over
    std::array<std::byte, max_bytes> data{};
};

} // namespace dri
