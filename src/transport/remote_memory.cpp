#include "transport/remote_memory.hpp"

#include "base/error.hpp"

#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace dri {

namespace {

iovec vector_of(const void *address, int64_t bytes) {
    return {const_cast<void *>(address), static_cast<size_t>(bytes)};
}

// An address of another process is a number here.
const void *there(uint64_t address) { return reinterpret_cast<const void *>(static_cast<uintptr_t>(address)); }

} // namespace

void RemoteReader::add(const RemotePiece &piece) {
    if (count_ == most)
        finish();
    pieces_[count_++] = piece;
}

// The system may stop inside a piece: what is left is asked for again.
void RemoteReader::finish() {
    int first = 0;
    while (first < count_) {
        std::array<iovec, most> to, from;
        const auto n = static_cast<size_t>(count_ - first);
        for (size_t i = 0; i < n; ++i) {
            const RemotePiece &piece = pieces_[static_cast<size_t>(first) + i];
            to[i] = vector_of(piece.to, piece.bytes);
            from[i] = vector_of(there(piece.from), piece.bytes);
        }
        const auto read = process_vm_readv(static_cast<pid_t>(pid_), to.data(), n, from.data(), n, 0);
        if (read <= 0) {
            count_ = 0;
            fail(DRI_ERR_TRANSPORT, "memory of system process {} at {:#x} cannot be read: {}", pid_,
                 pieces_[first].from, read == 0 ? "nothing came" : std::generic_category().message(errno));
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
    const iovec to = vector_of(&word, sizeof word), from = vector_of(there(address), sizeof word);
    if (process_vm_readv(static_cast<pid_t>(pid), &to, 1, &from, 1, 0) != sizeof word)
        return std::nullopt;
    return word;
}

bool can_read(int64_t pid, uint64_t address, int64_t bytes) {
    if (bytes == 0)
        return true;
    for (const uint64_t at : {address, address + static_cast<uint64_t>(bytes) - 1}) {
        std::byte byte{};
        const iovec to = vector_of(&byte, 1), from = vector_of(there(at), 1);
        if (process_vm_readv(static_cast<pid_t>(pid), &to, 1, &from, 1, 0) != 1)
            return false;
    }
    return true;
}

} // namespace dri
