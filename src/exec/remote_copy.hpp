// A copy whose source is the memory of another process that is not shared.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/tiles.hpp"

namespace dri {

// Tiles, bound to kernels.
class RemoteCopy {
public:
    // working_set_bytes: as of bind().
    RemoteCopy(TiledCopy copy, Isa isa, int64_t working_set_bytes);
    // src: the address of the source buffer in the process `pid`. scratch: of the tiles' scratch_bytes, this
    // thread's own.
    void operator()(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const;

private:
    TiledCopy tiles_;
    BoundCopy whole_, rest_;
};

} // namespace dri
