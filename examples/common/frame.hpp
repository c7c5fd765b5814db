// What goes with the frames of a stream: when they began, and a record of the program's own.
#pragma once

#include <dri/stream.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace common {

// The clock that DRI_Frame's time is of: nanoseconds since 1970-01-01 UTC.
inline std::int64_t clock_ns() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

// For a frame that begins now.
inline DRI_Frame begin_frame() {
    DRI_Frame frame{};
    frame.time_ns = clock_ns();
    return frame;
}

// `record` travels with it.
template <typename Record> DRI_Frame begin_frame(const Record &record) {
    static_assert(sizeof(Record) <= DRI_MAX_FRAME_BYTES && std::is_trivially_copyable_v<Record>);
    DRI_Frame frame = begin_frame();
    frame.bytes = sizeof(Record);
    std::memcpy(frame.data, &record, sizeof(Record));
    return frame;
}

template <typename Record> Record record_of(const DRI_Frame &frame) {
    if (frame.bytes != sizeof(Record))
        throw std::logic_error("a frame came with " + std::to_string(frame.bytes) + " bytes in place of " +
                               std::to_string(sizeof(Record)));
    Record record;
    std::memcpy(&record, frame.data, sizeof(Record));
    return record;
}

// Seconds since the frame began; between nodes as right as their clocks are.
inline double age(const DRI_Frame &frame) { return 1e-9 * static_cast<double>(clock_ns() - frame.time_ns); }

} // namespace common
