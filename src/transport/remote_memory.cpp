// Reads memory of another process with process_vm_readv.
#include "transport/remote_memory.hpp"

#include "base/error.hpp"

#include <sys/uio.h>

#include <array>
#include <bit>
#include <cerrno>
#include <system_error>

namespace dri::transport {

namespace {

iovec vector_of(const void *address, int64_t bytes) {
    return {const_cast<void *>(address), static_cast<size_t>(bytes)};
}

// An address of another process is only a number in this one. It is never dereferenced here.
const void *there(uint64_t address) { return std::bit_cast<const void *>(static_cast<uintptr_t>(address)); }

// Reads a few bytes and returns whether all of them were read.
bool read_few(int64_t pid, uint64_t address, void *to, int64_t bytes) {
    const iovec here = vector_of(to, bytes), from = vector_of(there(address), bytes);
    return process_vm_readv(static_cast<pid_t>(pid), &here, 1, &from, 1, 0) == bytes;
}

} // namespace

void RemoteReader::add(const RemotePiece &piece) {
    if (count_ == max_pieces)
        finish();
    pieces_[count_++] = piece;
}

// The system may stop inside a piece. The rest is then requested again.
void RemoteReader::finish() {
    int first = 0;
    while (first < count_) {
        std::array<iovec, max_pieces> to, from;
        const auto n = static_cast<size_t>(count_ - first);
        for (size_t i = 0; i < n; ++i) {
            const RemotePiece &piece = pieces_[static_cast<size_t>(first) + i];
            to[i] = vector_of(piece.to, piece.bytes);
            from[i] = vector_of(there(piece.from), piece.bytes);
        }
        const auto read = process_vm_readv(static_cast<pid_t>(pid_), to.data(), n, from.data(), n, 0);
        if (read <= 0) {
            count_ = 0;
            fail(read < 0 && errno == ESRCH ? DRI_ERR_PEER : DRI_ERR_TRANSPORT,
                 "memory of system process {} at {:#x} cannot be read: {}", pid_, pieces_[first].from,
                 read == 0 ? "no bytes were read" : std::generic_category().message(errno));
        }
        for (auto rest = static_cast<int64_t>(read); rest > 0;) {
            RemotePiece &piece = pieces_[first];
            const int64_t bytes = piece.bytes < rest ? piece.bytes : rest;
            rest -= bytes;
            piece = {piece.to + bytes, piece.from + static_cast<uint64_t>(bytes), piece.bytes - bytes};
            if (piece.bytes == 0)
                ++first;
        }
    }
    count_ = 0;
}

std::optional<uint64_t> read_word(int64_t pid, uint64_t address) {
    uint64_t word = 0;
    return read_few(pid, address, &word, sizeof word) ? std::optional(word) : std::nullopt;
}

bool can_read(int64_t pid, uint64_t address, int64_t bytes) {
    if (bytes == 0)
        return true;
    std::byte byte{};
    return read_few(pid, address, &byte, 1) && read_few(pid, address + static_cast<uint64_t>(bytes) - 1, &byte, 1);
}

} // namespace dri::transport
