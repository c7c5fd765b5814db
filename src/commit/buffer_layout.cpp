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

int64_t BufferLayout::copy_bytes() const {
    return pullers > 0 && elsewhere.empty() ? checked_mul(part_bytes, count() - count_provided(given)) : 0;
}

int64_t BufferLayout::header_bytes() const {
    return headers ? checked_mul(count(), int64_t{sizeof(exec::FrameHeader)}) : 0;
}

} // namespace dri::commit
