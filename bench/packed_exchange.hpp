// What the exchanges of packed messages share: each peer's box packed in the sink's order, unpacked as contiguous
// rows, and what stays in the process straight from source to sink.
#pragma once

#include "buffer.hpp"
#include "copy_box.hpp"
#include "row.hpp"
#include "world.hpp"

#include <vector>

namespace bench {

class PackedExchange {
public:
    // Parts must be boxes.
    explicit PackedExchange(const Case &c);

    // One message: `count` elements from `first` on in the memory of messages, and the box that they make.
    struct Piece {
        int peer;
        int64_t first, count;
        BoxCopy copy;
        int64_t box; // offset of the box in the part; elements
    };
    const std::vector<Piece> &sends() const { return sends_; } // none empty, none to the process itself
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

// A contest of such an exchange, whose fits() says whether MPI can count its messages.
template <class Exchange> Contest prepare_packed(const Case &c) {
    if (!c.source.has_boxes_only() || !c.sink.has_boxes_only())
        return unfit("only for parts that are boxes");
    const auto exchange = on_all_or_none([&c] { return std::make_shared<Exchange>(c); });
    if (!on_all(exchange->fits()))
        return unfit("counts beyond MPI's int");
    return contest_of(exchange);
}

} // namespace bench
