// The header of a stream's frames: the time at which a frame started, and a record of the program.
#pragma once

#include <dri/stream.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace common {

// The clock for DRI_Frame::time_ns: nanoseconds since 1970-01-01 UTC.
inline std::int64_t clock_ns() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

// Makes the header of a frame that starts now.
inline DRI_Frame begin_frame() {
    DRI_Frame frame{};
    frame.time_ns = clock_ns();
    return frame;
}

// The same with `record` in the frame's bytes.
template <typename Record> DRI_Frame begin_frame(const Record &record) {
    static_assert(sizeof(Record) <= DRI_MAX_FRAME_BYTES && std::is_trivially_copyable_v<Record>);
    DRI_Frame frame = begin_frame();
    frame.bytes = sizeof(Record);
    std::memcpy(frame.data, &record, sizeof(Record));
    return frame;
}

template <typename Record> Record record_of(const DRI_Frame &frame) {
    if (frame.bytes != sizeof(Record))
        throw std::logic_error("a frame's header has " + std::to_string(frame.bytes) +
                               " bytes of data instead of " + std::to_string(sizeof(Record)));
    Record record;
    std::memcpy(&record, frame.data, sizeof(Record));
    return record;
}

// Seconds since the frame started. Between nodes the error is the difference of their clocks.
inline double age(const DRI_Frame &frame) { return 1e-9 * static_cast<double>(clock_ns() - frame.time_ns); }

} // namespace common
