#include "packed_exchange.hpp"

namespace bench {

namespace {

int64_t total(const std::vector<PackedExchange::Piece> &pieces) {
    return pieces.empty() ? 0 : pieces.back().first + pieces.back().count;
}

} // namespace

PackedExchange::PackedExchange(const Case &c)
    : element_bytes_(c.element_bytes), source_(own_part(c.source).count * element_bytes_),
      sink_(own_part(c.sink).count * element_bytes_), packed_(0), arrived_(0) {
    const Part &from = own_part(c.source), &to = own_part(c.sink);
    for (int peer = 0; peer < world().size; ++peer) {
        const Part &their_sink = c.sink.parts[static_cast<size_t>(peer)];
        const Part &their_source = c.source.parts[static_cast<size_t>(peer)];
        const Box out = intersection(from, their_sink), in = intersection(their_source, to);
        if (peer == world().rank) {
            if (out.count > 0)
                own_.emplace_back(element_bytes_, out.extents, from.strides, to.strides);
            own_from_ = offset_in(from, out);
            own_to_ = offset_in(to, out);
            continue;
        }
        if (out.count > 0)
            sends_.push_back(
                {peer, total(sends_), out.count,
                 BoxCopy(element_bytes_, out.extents, from.strides, packed_strides(out.extents, their_sink.order)),
                 offset_in(from, out)});
        if (in.count > 0)
            receives_.push_back(
                {peer, total(receives_), in.count,
                 BoxCopy(element_bytes_, in.extents, packed_strides(in.extents, to.order), to.strides),
                 offset_in(to, in)});
    }
    packed_ = Buffer(total(sends_) * element_bytes_);
    arrived_ = Buffer(total(receives_) * element_bytes_);
}

void PackedExchange::copy_own() const {
    for (const BoxCopy &own : own_)
        own.run(sink_.data() + own_to_ * element_bytes_, source_.data() + own_from_ * element_bytes_);
}

} // namespace bench
