// A copy from memory of another process that is not shared.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/tiles.hpp"

namespace dri::exec {

// A tiled copy, bound to kernels.
class RemoteCopy {
public:
    // working_set_bytes: as in bind().
    RemoteCopy(plan::TiledCopy copy, kernel::Isa isa, int64_t working_set_bytes);
    // src: the address of the source buffer in process `pid`. scratch: TiledCopy::scratch_bytes bytes, used by
    // this thread alone.
    void operator()(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const;

private:
    plan::TiledCopy tiles_;
    kernel::BoundCopy whole_, rest_;
};

} // namespace dri::exec
