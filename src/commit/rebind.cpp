// Checks a new buffer, and finds out how other processes read it.
#include "commit/rebind.hpp"

#include "exec/rebinding.hpp"
#include "exec/transfer.hpp"
#include "model/distribution.hpp"
#include "transport/shared_source.hpp"

#include <algorithm>

namespace dri::commit {

void rebind(const Endpoint &endpoint, std::byte *buffer, const transport::UserMemory &memory) {
    const auto &transfer = endpoint.transfer(); // fails before the commit
    const Declaration &d = endpoint.declaration();
    const int64_t alignment = d.dist->gdo().type.alignment;
    if (reinterpret_cast<uintptr_t>(buffer) % static_cast<uintptr_t>(alignment) != 0)
        fail(DRI_ERR_ARG, "transfer '{}': the buffer is not aligned to the {} bytes of the element type", d.name,
             alignment);
    transport::Elsewhere where;
    if (const auto found = memory.find(buffer)) {
        if (found->left < endpoint.buffer_bytes())
            fail(DRI_ERR_ARG,
                 "transfer '{}': the buffer has {} bytes to the end of its memory from DRI_alloc, but needs {}",
                 d.name, found->left, endpoint.buffer_bytes());
        where = {.memory = found->memory, .offset = found->offset};
    }
    transfer->rebind(endpoint.endpoints(Moves::endpoint), buffer, where);
}

bool uses(const Endpoint &endpoint, const std::byte *begin, int64_t bytes) {
    const auto is_in = [&](const void *buffer) {
        return buffer >= begin && buffer < begin + std::max<int64_t>(bytes, 1);
    };
    const Declaration &d = endpoint.declaration();
    if (!endpoint.committed() || !endpoint.state().rebinding)
        return std::any_of(d.buffers.begin(), d.buffers.end(), is_in);
    const exec::Rebinding &rebinding = *endpoint.state().rebinding;
    const exec::Progress done = endpoint.progress();
    const int64_t begun = rebinding.read_begun();
    const bool under_way = d.role == Role::source ? done.acquired <= begun : done.frames < begun;
    return is_in(rebinding.read_next()) || (under_way && is_in(rebinding.read_last()));
}

} // namespace dri::commit
