// Memory that the user takes from the library for buffers of many transfers. Other processes of the node read it
// where it lies.
#pragma once

#include "transport/shared_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace dri::transport {

// Any thread may make any call at any time.
class UserMemory {
public:
    // Takes zero-filled memory. Its pages are allocated when they are touched. alignment: a power of two. Fails
    // with DRI_ERR_MEMORY.
    std::byte *take(int64_t bytes, int64_t alignment);
    // Frees what take() has returned. check: gets its first byte and its bytes, and may refuse by throwing; it
    // makes no call of this object. Fails with DRI_ERR_ARG for any other address.
    void free(const void *address, const std::function<void(const std::byte *, int64_t)> &check);

    // Where an address lies for other processes.
    struct Found {
        MemoryHandle memory;
        int64_t offset = 0; // of the address in that memory
        int64_t left = 0;   // bytes from the address to the end of what take() has returned
    };
    std::optional<Found> find(const void *address) const; // nothing if the memory is not from take()
    // Allocates the pages of a range now, and uses huge pages if there are any. Returns whether the range is in
    // memory from take(). Fails with DRI_ERR_MEMORY. The memory must not be freed meanwhile.
    bool reserve(const void *address, int64_t bytes) const;

private:
    struct Piece {
        SharedMemory memory;
        MemoryHandle handle;
        int64_t bytes = 0; // that the user may use
    };
    // The piece that contains the address, or the end. The caller holds the lock.
    std::map<const std::byte *, Piece>::const_iterator piece_at(const void *address) const;

    mutable std::mutex mutex_; // guards both
    std::shared_ptr<SharedFile> file_;
    std::map<const std::byte *, Piece> pieces_; // by the address that the user has
};

} // namespace dri::transport
