// Memory of the library for arrays, which the processes of the node read where it lies.
#include "memory.hpp"

#include <dri/memory.h>

#include <algorithm>

namespace dri_python {

namespace {

struct Piece {
    void *memory;
    size_t bytes;
    bool has(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(memory) < bytes; }
};

// Arrays and endpoints may outlive static objects, so neither list is ever freed.
// Nobody uses these pieces any more, but an endpoint still names them.
std::vector<Piece> &left_pieces() {
    static auto &all = *new std::vector<Piece>;
    return all;
}

std::vector<const End *> &rebound_ends() {
    static auto &all = *new std::vector<const End *>;
    return all;
}

// An endpoint whose buffer moves names the memory of its last frame. It gets an address at which nothing is, until
// the next frame moves it again.
bool free_piece(const Piece &piece) {
    if (DRI_free(piece.memory) != DRI_ERR_STATE)
        return true;
    for (const End *end : rebound_ends())
        if (piece.has(end->last_buffer())) {
            constexpr uintptr_t nowhere = uintptr_t{1} << 62;
            DRI_xfer_rebind(end->handle(), reinterpret_cast<void *>(end->is_sink() ? nowhere : nowhere / 2));
        }
    return DRI_free(piece.memory) != DRI_ERR_STATE;
}

// Bytes as an array that owns them.
py::array_t<uint8_t> allocate(size_t bytes) {
    std::erase_if(left_pieces(), free_piece);
    void *memory = nullptr;
    check(DRI_alloc(bytes, 0, &memory));
    const py::capsule owner(new Piece{memory, bytes}, [](void *piece) {
        const std::unique_ptr<Piece> mine(static_cast<Piece *>(piece));
        if (!free_piece(*mine))
            left_pieces().push_back(*mine);
    });
    return py::array_t<uint8_t>(static_cast<py::ssize_t>(bytes), static_cast<const uint8_t *>(memory), owner);
}

bool is_left(uintptr_t address) {
    return std::any_of(left_pieces().begin(), left_pieces().end(),
                       [=](const Piece &piece) { return piece.has(address); });
}

} // namespace

void note_rebound(const End &end) { rebound_ends().push_back(&end); }

void forget_rebound(const End &end) { std::erase(rebound_ends(), &end); }

void bind_memory(py::module_ &module) {
    module.def("allocate", allocate);
    module.def("is_left", is_left);
    module.def("free_left", [] {
        std::erase_if(left_pieces(), free_piece);
        return left_pieces().size();
    });
}

} // namespace dri_python
