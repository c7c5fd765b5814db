// Memory that processes of one node share. It is an anonymous file, created by its owner and opened by others with
// a memory handle. It has no name, and vanishes with the last process that maps it. Many pieces of memory may also
// lie in one file, which takes one descriptor.
#pragma once

#include "base/wire.hpp"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace dri::transport {

// What another process needs to open shared memory.
struct MemoryHandle {
    int64_t pid = 0;    // the owner's process number; 0: no memory
    int64_t file = -1;  // the owner's file descriptor
    uint64_t token = 0; // the random number at the start of the memory
    int64_t bytes = 0;
    int64_t offset = 0; // of the memory in the file
};
void put(Writer &out, const MemoryHandle &handle);
MemoryHandle get_memory_handle(Reader &in);

// A file of which pieces are mapped apart. It grows and never shrinks. The memory of freed pieces is returned to
// the system. One thread at a time.
class SharedFile {
public:
    SharedFile(); // fails with DRI_ERR_MEMORY
    ~SharedFile();
    SharedFile(const SharedFile &) = delete;
    SharedFile &operator=(const SharedFile &) = delete;

    int number() const { return number_; }
    // The offset of the next piece, a multiple of a page, or of a huge page if the piece is that long.
    int64_t next(int64_t bytes) const;
    void extend(int64_t end); // fails with DRI_ERR_MEMORY
    // Returns the pages of a piece to the system, also if other processes map them still. Does nothing in a forked
    // child, whose parent still uses them.
    void free(int64_t offset, int64_t bytes) const noexcept;

private:
    int number_;
    pid_t owner_;
    int64_t end_ = 0;
};

class SharedMemory {
public:
    static constexpr int64_t token_bytes = 64; // reserved for the token at the start of the memory

    SharedMemory() = default;
    // Creates zero-filled memory. In this process it starts at a multiple of `alignment`, a power of two; memory
    // of a huge page or more starts at a huge page. Its pages are allocated when they are touched. bytes: at least
    // token_bytes. Fails with DRI_ERR_MEMORY.
    static SharedMemory create(int64_t bytes, int64_t alignment);
    // The same as a piece of a file. The piece is freed with this object.
    static SharedMemory create_in(std::shared_ptr<SharedFile> file, int64_t bytes, int64_t alignment);
    // Opens memory of another process, or of this one once more. Fails with DRI_ERR_TRANSPORT if it cannot be
    // opened, or if something else is found there.
    static SharedMemory open(const MemoryHandle &handle);

    SharedMemory(SharedMemory &&other) noexcept { *this = std::move(other); }
    SharedMemory &operator=(SharedMemory &&other) noexcept;
    ~SharedMemory();

    std::byte *data() const { return data_; }
    int64_t bytes() const { return bytes_; }
    // Allocates the pages of a range now, so that no frame runs out of memory. Fails with DRI_ERR_MEMORY.
    void reserve(int64_t offset, int64_t bytes) const;
    // Maps existing pages into this process now, if the system supports it. The first frame then need not.
    void touch(int64_t offset, int64_t bytes) const;
    MemoryHandle handle() const; // for the owner only, before close_file()
    void close_file();           // afterwards no process can open the memory any more; not for pieces

private:
    int file() const { return piece_of_ ? piece_of_->number() : file_; }
    void map(int file, int64_t offset, int64_t bytes, int64_t alignment);
    void write_token();

    std::byte *data_ = nullptr;
    int64_t bytes_ = 0;
    int file_ = -1;                        // of its own
    std::shared_ptr<SharedFile> piece_of_; // or the file that it is a piece of
    int64_t offset_ = 0;                   // in that file
};

} // namespace dri::transport
