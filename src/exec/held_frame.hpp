// The frame that a sink's caller has got last and still holds.
#pragma once

#include "exec/transfer.hpp"

#include <cstddef>
#include <cstdint>

namespace dri::exec {

struct HeldFrame {
    std::byte *buffer = nullptr;
    const FrameHeader *header = nullptr; // null: nothing came with it
    int64_t number = 0;
};

// For the thread that uses the transfer. Fails with DRI_ERR_STATE if the caller holds none.
HeldFrame held_frame(const LocalTransfer &transfer, size_t flow);

} // namespace dri::exec
