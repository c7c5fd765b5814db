// Common part of the exchanges with packed messages. Each peer's box is packed in the sink's order and unpacked as
// contiguous rows. Elements that stay in the process are copied directly from source to sink.
#pragma once

#include "buffer.hpp"
#include "copy_box.hpp"
#include "row.hpp"
#include "world.hpp"

#include <vector>

namespace bench {

class PackedExchange {
public:
    // All parts must be boxes.
    explicit PackedExchange(const Case &c);

    // One message: `count` elements from index `first` of the memory for messages, and the copy of their box.
    struct Piece {
        int peer;
        int64_t first, count;
        BoxCopy copy;
        int64_t box; // offset of the box in the part, in elements
    };
    const std::vector<Piece> &sends() const { return sends_; } // no empty ones, none to the process itself
    const std::vector<Piece> &receives() const { return receives_; }
    int64_t element_bytes() const { return element_bytes_; }

    std::byte *packed(const Piece &p) const { return packed_.data() + p.first * element_bytes_; }
    std::byte *arrived(const Piece &p) const { return arrived_.data() + p.first * element_bytes_; }
    void pack(const Piece &p) const { p.copy.run(packed(p), source_.data() + p.box * element_bytes_); }
    void unpack(const Piece &p) const { p.copy.run(sink_.data() + p.box * element_bytes_, arrived(p)); }
    void copy_own() const;

    std::byte *source() const { return source_.data(); }
    std::byte *sink() const { return sink_.data(); }

private:
    int64_t element_bytes_;
    std::vector<Piece> sends_, receives_;
    std::vector<BoxCopy> own_; // one or none
    int64_t own_from_ = 0, own_to_ = 0;
    Buffer source_, sink_, packed_, arrived_;
};

// Prepares such an exchange. Its fits() returns whether all counts fit MPI's int.
template <class Exchange> Contest prepare_packed(const Case &c) {
    if (!c.source.has_boxes_only() || !c.sink.has_boxes_only())
        return unfit("only for parts that are boxes");
    const auto exchange = on_all_or_none([&c] { return std::make_shared<Exchange>(c); });
    if (!on_all(exchange->fits()))
        return unfit("counts exceed MPI's int");
    return contest_of(exchange);
}

} // namespace bench
