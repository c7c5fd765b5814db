// Memory that processes of one node share: an anonymous file, made by its owner and opened by others with a
// handle. It has no name, and vanishes with the last process that maps it.
#pragma once

#include "base/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dri {

// What another process needs to open shared memory.
struct MemoryHandle {
    int64_t pid = 0;    // of the owner; 0: none
    int64_t file = -1;  // the owner's descriptor
    uint64_t token = 0; // stands at the beginning of the memory
    int64_t bytes = 0;
};
void put(Writer &out, const MemoryHandle &handle);
MemoryHandle get_memory_handle(Reader &in);

class SharedMemory {
public:
    static constexpr int64_t token_bytes = 64; // at the beginning, not the user's

    SharedMemory() = default;
    // Of zeros, in this process at a multiple of `alignment`, a power of two; large memory at one of huge pages.
    // Its pages come when they are touched. bytes: more than token_bytes. Fails with DRI_ERR_MEMORY.
    static SharedMemory create(int64_t bytes, int64_t alignment);
    // Another process's, or this one's again. Fails with DRI_ERR_TRANSPORT where it cannot be opened, or where
    // something else is found in its place.
    static SharedMemory open(const MemoryHandle &handle);

    SharedMemory(SharedMemory &&other) noexcept { *this = std::move(other); }
    SharedMemory &operator=(SharedMemory &&other) noexcept;
    ~SharedMemory();

    std::byte *data() const { return data_; }
    int64_t bytes() const { return bytes_; }
    // Reserves pages, so that no frame meets a lack of memory. Fails with DRI_ERR_MEMORY.
    void reserve(int64_t offset, int64_t bytes) const;
    // Makes pages known to this process, where the system can: the first frame need not.
    void touch(int64_t offset, int64_t bytes) const;
    MemoryHandle handle() const; // of the owner, until close_file()
    void close_file();           // nobody else can open it any more

private:
    void map(int file, int64_t bytes, int64_t alignment);

    std::byte *data_ = nullptr;
    int64_t bytes_ = 0;
    int file_ = -1;
};

} // namespace dri
