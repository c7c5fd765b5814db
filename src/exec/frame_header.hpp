// The header that travels with each frame of a stream, apart from its data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dri::exec {

// Its bytes are sent as they lie in memory.
struct FrameHeader {
    static constexpr int32_t max_bytes = 256;
    int64_t number = 0; // of the frame, from 0
    int64_t time_ns = 0;
    int32_t bytes = 0;  // used bytes of `data`
    int32_t closes = 0; // 1: no frame belongs to this header; the stream is closed
    std::array<std::byte, max_bytes> data{};
};

} // namespace dri::exec
