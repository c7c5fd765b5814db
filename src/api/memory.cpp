// The calls of memory.h: memory for the buffers of many transfers, buffers that move, and buffers that are kept.
#include "base/memory.hpp"
#include "api/forked.hpp"
#include "api/guard.hpp"
#include "api/lookup.hpp"
#include "api/state.hpp"
#include "base/kept.hpp"
#include "commit/rebind.hpp"
#include "transport/user_memory.hpp"

#include <dri/memory.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace dri::api {

namespace {

constexpr size_t max_alignment = size_t{1} << 30;

int64_t checked_alignment(size_t alignment) {
    if (alignment > max_alignment || (alignment != 0 && !std::has_single_bit(alignment)))
        fail(DRI_ERR_ARG, "alignment is {}, but must be 0 or a power of two up to {}", alignment, max_alignment);
    return std::max(static_cast<int64_t>(alignment), cache_line_bytes);
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_alloc(size_t bytes, size_t alignment, void **memory) {
    return dri::api::guard("DRI_alloc", [&] {
        dri::api::require_pointer(memory, "memory");
        *memory = nullptr;
        dri::api::session();
        const int64_t checked = dri::api::checked_alignment(alignment);
        constexpr size_t most = size_t{1} << 62;
        if (bytes > most)
            dri::fail(DRI_ERR_MEMORY, "no memory for {} bytes", bytes);
        *memory = dri::api::user_memory().take(static_cast<int64_t>(bytes), checked);
    });
}

int DRI_free(void *memory) {
    return dri::api::guard("DRI_free", [&] {
        dri::api::require_parent();
        if (!memory)
            return;
        const auto running = dri::api::running_session();
        dri::api::user_memory().free(memory, [&](const std::byte *begin, int64_t bytes) {
            if (running)
                running->refuse_use(begin, bytes);
        });
    });
}

int DRI_xfer_rebind(DRI_Xfer xfer, void *buffer) {
    return dri::api::guard("DRI_xfer_rebind", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(buffer, "buffer");
        dri::commit::rebind(*endpoint, static_cast<std::byte *>(buffer), dri::api::user_memory());
    });
}

int DRI_xfer_keep_buffers(DRI_Xfer xfer, DRI_Kept **kept) {
    return dri::api::guard("DRI_xfer_keep_buffers", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(kept, "kept");
        *kept = nullptr;
        const auto &transfer = endpoint->transfer();
        auto memory = transfer->keep(endpoint->endpoints(dri::commit::Moves::endpoint));
        *kept = reinterpret_cast<DRI_Kept *>(new dri::Kept(std::move(memory)));
    });
}

// Needs nothing of the library, which may have been stopped.
int DRI_kept_free(DRI_Kept *kept) {
    delete reinterpret_cast<dri::Kept *>(kept);
    return DRI_SUCCESS;
}
}
