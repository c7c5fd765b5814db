// The buffers of an endpoint as a value. It is computed before anything is reserved, and the buffers are made from
// it.
#pragma once

#include "transport/shared_source.hpp"

#include <cstdint>
#include <vector>

namespace dri::commit {

struct BufferLayout {
    std::vector<void *> given = {}; // one per buffer: the user's; null: the library provides it
    int64_t part_bytes = 0;         // of one frame's part
    int64_t reserved_bytes = 0;     // of a buffer that the library provides: of all frames that arrive together
    int64_t strips = 1;             // their number
    int64_t alignment = 1;
    // Of a source: the number of its pullers. If there are any, the buffers lie in shared memory, and the user's
    // are copied there, unless pullers read them elsewhere (as in SourceHandle).
    int64_t pullers = 0;
    std::vector<transport::Elsewhere> elsewhere = {};
    transport::Moving moving = transport::Moving::none; // of a source
    bool headers = false;                               // whether each buffer has memory for a frame header

    int64_t count() const { return std::ssize(given); }
    int64_t provided_bytes() const; // by the library, in place of the user's buffers
    int64_t copy_bytes() const;     // of shared memory for copies of the user's buffers
    int64_t header_bytes() const;
};

} // namespace dri::commit
