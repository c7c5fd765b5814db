// Reads memory of another process of this node that is not shared; the system copies it. Each call costs about a
// microsecond, and each piece costs more. Therefore this suits long pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dri::transport {

struct RemotePiece {
    std::byte *to = nullptr; // in this process
    uint64_t from = 0;       // address in the other process
    int64_t bytes = 0;
};

// Collects pieces and reads up to 256 of them with one call. Allocates nothing. add() and finish() fail with
// DRI_ERR_TRANSPORT if the memory does not exist or may not be read.
class RemoteReader {
public:
    explicit RemoteReader(int64_t pid) : pid_(pid) {}
    void add(const RemotePiece &piece);
    void finish(); // afterwards all pieces have been read

private:
    static constexpr int max_pieces = 256;
    int64_t pid_;
    int count_ = 0;
    RemotePiece pieces_[max_pieces];
};

// Whether this process can read the first and the last of `bytes` bytes at the address.
bool can_read(int64_t pid, uint64_t address, int64_t bytes);
// The eight bytes at the address, or nothing if they cannot be read.
std::optional<uint64_t> read_word(int64_t pid, uint64_t address);

inline uint64_t address_of(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace dri::transport
