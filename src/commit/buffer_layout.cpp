// Adds up the memory of buffers.
#include "commit/buffer_layout.hpp"

#include "base/checked.hpp"
#include "exec/frame_header.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

int64_t count_provided(const std::vector<void *> &given) {
    return std::count(given.begin(), given.end(), nullptr);
}

} // namespace

int64_t BufferLayout::provided_bytes() const { return checked_mul(reserved_bytes, count_provided(given)); }

// Buffers that pullers cannot find elsewhere are copied, except those of the library, which lie there. A buffer
// that changes may have to be copied later.
int64_t BufferLayout::copy_bytes() const {
    int64_t copied = pullers > 0 ? count() - count_provided(given) : 0;
    if (copied > 0 && moving != transport::Moving::copied)
        copied -= std::count_if(elsewhere.begin(), elsewhere.end(),
                                [](const transport::Elsewhere &where) { return where.any(); });
    return checked_mul(part_bytes, copied);
}

int64_t BufferLayout::header_bytes() const {
    return headers ? checked_mul(count(), int64_t{sizeof(exec::FrameHeader)}) : 0;
}

} // namespace dri::commit
