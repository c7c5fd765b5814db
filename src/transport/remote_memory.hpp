// Memory of another process of this node that is not shared: the system copies it. Every call costs about a
// microsecond and every piece more, so it serves long pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dri {

struct RemotePiece {
    std::byte *to = nullptr; // here
    uint64_t from = 0;       // address there
    int64_t bytes = 0;
};

// Collects pieces and reads many at once. Allocates nothing. Fails with DRI_ERR_TRANSPORT, in add() or finish(),
// where the memory is not there or may not be read.
class RemoteReader {
public:
    explicit RemoteReader(int64_t pid) : pid_(pid) {}
    void add(const RemotePiece &piece);
    void finish(); // all pieces have come

private:
    static constexpr int max_pieces = 256;
    int64_t pid_;
    int count_ = 0;
    RemotePiece pieces_[max_pieces];
};

// Whether this process can read the first and the last of so many bytes.
bool can_read(int64_t pid, uint64_t address, int64_t bytes);
// The eight bytes there, if it can.
std::optional<uint64_t> read_word(int64_t pid, uint64_t address);

inline uint64_t address_of(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace dri
