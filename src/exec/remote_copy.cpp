// Reads another process's memory tile by tile and copies each tile to its destination.
#include "exec/remote_copy.hpp"

#include "kernel/bind.hpp"
#include "transport/remote_memory.hpp"

#include <utility>

namespace dri::exec {

RemoteCopy::RemoteCopy(plan::TiledCopy copy, kernel::Isa isa, int64_t working_set_bytes)
    : tiles_(std::move(copy)) {
    if (tiles_.straight)
        return;
    whole_ = kernel::bind(tiles_.whole, isa, working_set_bytes);
    if (tiles_.rest_count)
        rest_ = kernel::bind(tiles_.rest, isa, working_set_bytes);
}

// The pieces of a tile are read into scratch memory, which stays in cache, and a kernel copies them on. Straight
// tiles are read into the destination.
void RemoteCopy::operator()(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const {
    transport::RemoteReader reader(pid);
    for (const plan::TiledCopy::Tile &tile : tiles_.tiles) {
        plan::Loops pieces = tiles_.pieces;
        if (tile.is_rest)
            pieces[0].count = tiles_.rest_count;
        std::byte *const to = tiles_.straight ? dst + tile.dst_offset : scratch;
        plan::for_each_step({pieces.data(), pieces.size()}, tile.src_offset, 0, [&](int64_t from, int64_t at) {
            reader.add({to + at, src + static_cast<uint64_t>(from), tiles_.piece_bytes});
        });
        reader.finish();
        if (!tiles_.straight)
            (tile.is_rest ? rest_ : whole_)(scratch, dst + tile.dst_offset);
    }
}

} // namespace dri::exec
