// What travels with a stream's frames: the time at which a frame started, and a record of the program.
#pragma once

#include <dri/dri.hpp>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace common {

// Makes what goes with a frame that starts now.
inline dri::Frame begin_frame() {
    dri::Frame frame;
    frame.time = std::chrono::system_clock::now();
    return frame;
}

// The same with `record` in the frame's bytes.
template <typename Record> dri::Frame begin_frame(const Record &record) {
    static_assert(sizeof(Record) <= DRI_MAX_FRAME_BYTES && std::is_trivially_copyable_v<Record>);
    dri::Frame frame(std::as_bytes(std::span(&record, 1)));
    frame.time = std::chrono::system_clock::now();
    return frame;
}

template <typename Record> Record record_of(const dri::Frame &frame) {
    if (frame.bytes().size() != sizeof(Record))
        throw std::logic_error("a frame carries " + std::to_string(frame.bytes().size()) + " bytes instead of " +
                               std::to_string(sizeof(Record)));
    Record record;
    std::memcpy(&record, frame.bytes().data(), sizeof(Record));
    return record;
}

// Seconds since the frame started. Between nodes the error is the difference of their clocks.
inline double age(const dri::Frame &frame) {
    return std::chrono::duration<double>(std::chrono::system_clock::now() - frame.time).count();
}

} // namespace common
