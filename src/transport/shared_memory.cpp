// Creates, opens and maps anonymous shared files. Other processes open them as /proc/PID/fd/N.
#include "transport/shared_memory.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "transport/system_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace dri::transport {

namespace {

constexpr const char *file_name = "dri";

int64_t system_page_bytes() { return sysconf(_SC_PAGESIZE); }

std::string reason(int error) { return std::generic_category().message(error); }

int create_file() {
    const int number = memfd_create(file_name, MFD_CLOEXEC);
    if (number < 0)
        fail(DRI_ERR_MEMORY, "cannot create a file for shared memory: {}", reason(errno));
    return number;
}

// An open file that the destructor closes.
class File {
public:
    explicit File(int number) : number_(number) {}
    ~File() {
        if (number_ >= 0)
            close(number_);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    int number() const { return number_; }
    int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

// The whole pages that contain a range of mapped memory.
struct Pages {
    std::byte *begin;
    size_t bytes;
    Pages(std::byte *data, int64_t offset, int64_t length) {
        const int64_t from = offset / system_page_bytes() * system_page_bytes();
        begin = data + from;
        bytes = static_cast<size_t>(round_up(offset + length, system_page_bytes()) - from);
    }
};

// Whether the path leads to a file of this library. In another process namespace the number may stand for another
// process, whose files must not even be opened.
bool is_ours(const std::string &path) {
    std::array<char, 64> target{};
    const auto length = readlink(path.c_str(), target.data(), target.size() - 1);
    return length > 0 && std::string_view(target.data()).starts_with(std::string("/memfd:") + file_name);
}

} // namespace

void put(Writer &out, const MemoryHandle &handle) {
    out.put(handle.pid);
    out.put(handle.file);
    out.put(handle.token);
    out.put(handle.bytes);
    out.put(handle.offset);
}

MemoryHandle get_memory_handle(Reader &in) {
    MemoryHandle handle;
    handle.pid = in.get<int64_t>();
    handle.file = in.get<int64_t>();
    handle.token = in.get<uint64_t>();
    handle.bytes = in.get<int64_t>();
    handle.offset = in.get<int64_t>();
    return handle;
}

SharedFile::SharedFile() : number_(create_file()), owner_(getpid()) {}

SharedFile::~SharedFile() { close(number_); }

// Offsets are never used again: a file without data at an offset takes no memory there.
int64_t SharedFile::next(int64_t bytes) const {
    return round_up(end_, bytes >= huge_page_bytes ? huge_page_bytes : system_page_bytes());
}

void SharedFile::extend(int64_t end) {
    if (ftruncate(number_, end) != 0)
        fail(DRI_ERR_MEMORY, "no memory for a shared file of {} bytes: {}", end, reason(errno));
    end_ = end;
}

void SharedFile::free(int64_t offset, int64_t bytes) const noexcept {
    if (getpid() == owner_)
        fallocate(number_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
}

// The token at the start is a random number. A process that opens the memory compares it with that of the handle,
// and so detects a wrong file.
SharedMemory SharedMemory::create(int64_t bytes, int64_t alignment) {
    bytes = round_up(bytes, system_page_bytes());
    File file(create_file());
    if (ftruncate(file.number(), bytes) != 0)
        fail(DRI_ERR_MEMORY, "no memory for {} shared bytes: {}", bytes, reason(errno));
    SharedMemory memory;
    memory.map(file.number(), 0, bytes, alignment);
    memory.file_ = file.release();
    memory.write_token();
    return memory;
}

SharedMemory SharedMemory::create_in(std::shared_ptr<SharedFile> file, int64_t bytes, int64_t alignment) {
    bytes = round_up(bytes, system_page_bytes());
    const int64_t offset = file->next(bytes);
    SharedMemory memory;
    memory.map(file->number(), offset, bytes, alignment);
    file->extend(checked_add(offset, bytes));
    memory.piece_of_ = std::move(file);
    memory.write_token();
    return memory;
}

void SharedMemory::write_token() {
    reserve(0, token_bytes);
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token)
        fail(DRI_ERR_MEMORY, "the system provides no random number for shared memory: {}", reason(errno));
    std::memcpy(data_, &token, sizeof token);
}

SharedMemory SharedMemory::open(const MemoryHandle &handle) {
    const std::string path = fmt::format("/proc/{}/fd/{}", handle.pid, handle.file);
    const auto refuse = [&](const std::string &why) {
        fail(is_gone(handle.pid) ? DRI_ERR_PEER : DRI_ERR_TRANSPORT,
             "the memory of system process {} cannot be opened as {}: {}", handle.pid, path, why);
    };
    if (!is_ours(path))
        refuse("it does not exist, or this process may not see it");
    const File file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.number() < 0)
        refuse(reason(errno));
    struct stat status {};
    if (fstat(file.number(), &status) != 0 || status.st_size < handle.offset ||
        status.st_size - handle.offset < handle.bytes)
        refuse("it has another length");
    SharedMemory memory;
    memory.map(file.number(), handle.offset, handle.bytes, system_page_bytes());
    uint64_t token = 0;
    std::memcpy(&token, memory.data_, sizeof token);
    if (token != handle.token)
        refuse("it is not the expected memory");
    return memory;
}

// Reserves more addresses than needed first, so that the memory can start at a multiple of `alignment`. The unused
// ones are released again.
void SharedMemory::map(int file, int64_t offset, int64_t bytes, int64_t alignment) {
    alignment = std::max({alignment, system_page_bytes(), bytes >= huge_page_bytes ? huge_page_bytes : 0});
    const auto length = static_cast<size_t>(round_up(bytes, system_page_bytes()));
    const size_t reserved = length + static_cast<size_t>(alignment);
    void *space = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        fail(DRI_ERR_MEMORY, "no address space for {} shared bytes: {}", bytes, reason(errno));
    auto *const begin = static_cast<std::byte *>(space);
    const auto at = reinterpret_cast<uintptr_t>(begin);
    auto *const data = begin + (static_cast<uintptr_t>(alignment) - at % static_cast<uintptr_t>(alignment)) %
                                   static_cast<uintptr_t>(alignment);
    if (mmap(data, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED) {
        const int error = errno;
        munmap(space, reserved);
        fail(DRI_ERR_MEMORY, "cannot map {} bytes of shared memory: {}", bytes, reason(error));
    }
    if (data != begin)
        munmap(begin, static_cast<size_t>(data - begin));
    if (data + length != begin + reserved)
        munmap(data + length, static_cast<size_t>(begin + reserved - data) - length);
    data_ = data;
    bytes_ = bytes;
    offset_ = offset;
    advise_huge_pages(data, bytes);
}

void SharedMemory::reserve(int64_t offset, int64_t bytes) const {
    if (bytes == 0)
        return;
    const Pages pages(data_, offset, bytes);
    reserve_huge_pages(pages.begin, static_cast<int64_t>(pages.bytes));
    int error = madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
    if (error == EINVAL) // an older system does not know MADV_POPULATE_WRITE
        error = posix_fallocate(file(), offset_ + (pages.begin - data_), static_cast<off_t>(pages.bytes));
    if (error)
        fail(DRI_ERR_MEMORY, "no memory for {} shared bytes: {}", bytes, reason(error));
}

void SharedMemory::touch(int64_t offset, int64_t bytes) const {
    const Pages pages(data_, offset, bytes);
    madvise(pages.begin, pages.bytes, MADV_POPULATE_READ);
}

MemoryHandle SharedMemory::handle() const {
    MemoryHandle handle{getpid(), file(), 0, bytes_, offset_};
    std::memcpy(&handle.token, data_, sizeof handle.token);
    return handle;
}

void SharedMemory::close_file() {
    if (file_ >= 0)
        close(std::exchange(file_, -1));
}

SharedMemory &SharedMemory::operator=(SharedMemory &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(file_, other.file_);
    std::swap(piece_of_, other.piece_of_);
    std::swap(offset_, other.offset_);
    return *this;
}

SharedMemory::~SharedMemory() {
    close_file();
    if (!data_)
        return;
    munmap(data_, static_cast<size_t>(round_up(bytes_, system_page_bytes())));
    if (piece_of_)
        piece_of_->free(offset_, bytes_);
}

} // namespace dri::transport
