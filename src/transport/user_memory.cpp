// Cuts the user's memory out of one shared file.
#include "transport/user_memory.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <utility>

namespace dri::transport {

// A piece begins with its token. What the user gets comes after it, at the next multiple of the alignment; a large
// piece starts at a huge page, as the library's own buffers do.
std::byte *UserMemory::take(int64_t bytes, int64_t alignment) {
    const int64_t before =
        std::max({alignment, bytes >= huge_page_bytes ? huge_page_bytes : 0, SharedMemory::token_bytes});
    const std::lock_guard lock(mutex_);
    if (!file_)
        file_ = std::make_shared<SharedFile>();
    Piece piece{
        SharedMemory::create_in(file_, checked_add(before, std::max<int64_t>(bytes, 1)), before), {}, bytes};
    piece.handle = piece.memory.handle();
    std::byte *const data = piece.memory.data() + before;
    pieces_.emplace(data, std::move(piece));
    return data;
}

void UserMemory::free(const void *address, const std::function<void(const std::byte *, int64_t)> &check) {
    decltype(pieces_)::node_type freed; // its pages go back to the system without the lock
    const std::lock_guard lock(mutex_);
    const auto piece = pieces_.find(static_cast<const std::byte *>(address));
    if (piece == pieces_.end())
        fail(DRI_ERR_ARG, "{} is no address that DRI_alloc has returned, or it is freed already", address);
    check(piece->first, piece->second.bytes);
    freed = pieces_.extract(piece);
}

std::map<const std::byte *, UserMemory::Piece>::const_iterator UserMemory::piece_at(const void *address) const {
    const auto *const at = static_cast<const std::byte *>(address);
    auto next = pieces_.upper_bound(at);
    if (next == pieces_.begin())
        return pieces_.end();
    --next;
    return at < next->first + std::max<int64_t>(next->second.bytes, 1) ? next : pieces_.end();
}

std::optional<UserMemory::Found> UserMemory::find(const void *address) const {
    const std::lock_guard lock(mutex_);
    const auto found = piece_at(address);
    if (found == pieces_.end())
        return std::nullopt;
    const auto &[begin, piece] = *found;
    const auto *const at = static_cast<const std::byte *>(address);
    return Found{piece.handle, at - piece.memory.data(), begin + piece.bytes - at};
}

// To allocate pages takes long, so it happens without the lock. The caller's endpoint keeps the piece from being
// freed.
bool UserMemory::reserve(const void *address, int64_t bytes) const {
    const SharedMemory *memory = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = piece_at(address); found != pieces_.end())
            memory = &found->second.memory;
    }
    if (memory)
        memory->reserve(static_cast<const std::byte *>(address) - memory->data(), bytes);
    return memory != nullptr;
}

} // namespace dri::transport
