#include "case_data.hpp"

#include "oracle_scalars.hpp"
#include "plain_runs.hpp"

#include <stdexcept>

namespace dri::test {

namespace {

// The value of byte b of the element with flat index i of the root object.
std::byte stamp(int64_t i, int64_t b) {
    const uint64_t word = scramble(static_cast<uint64_t>(i) * 64 + static_cast<uint64_t>(b / 8));
    return static_cast<std::byte>(word >> (8 * (b % 8)));
}

// The offset of byte b of an element in its buffer. In split layouts each plane is one half of the buffer.
int64_t byte_offset(const planner::Side &side, const model::ElementType &type, const HeldElement &h,
                    int64_t buffer, int64_t b) {
    if (side.layout(h.position).format == model::ComplexFormat::interleaved)
        return h.offset * type.pitch() + b;
    const int64_t component = type.pitch() / 2;
    return b / component * (buffer / 2) + h.offset * component + b % component;
}

} // namespace

CaseData::CaseData(const TransferCase &c, bool numbers)
    : c_(c), numbers_(numbers), source_(make_side(c, c.source)), sink_(make_side(c, c.sink)),
      source_oracle_(c, c.source, source_), sink_oracle_(c, c.sink, sink_) {}

// The bytes of the root object's element with flat index i, as a source holds them.
std::vector<std::byte> CaseData::element(int64_t i) const {
    std::vector<std::byte> bytes(at(src_pitch()));
    const Scalar scalar = plain_scalar(c_.type);
    if (!numbers_) {
        for (int64_t b = 0; b < src_pitch(); ++b)
            bytes[at(b)] = stamp(i, b);
        return bytes;
    }
    const int64_t n = scalar_bytes(scalar);
    for (int64_t b = 0; b < src_pitch(); b += n)
        make_number(scalar, scramble(static_cast<uint64_t>(2 * i + (b > 0))), bytes.data() + b);
    return bytes;
}

// The same element as a sink must receive it.
std::vector<std::byte> CaseData::wanted(int64_t i) const {
    std::vector<std::byte> from = element(i);
    if (!c_.converts())
        return from;
    std::vector<std::byte> to(at(dst_pitch()));
    const plan::Conversion c{plain_scalar(c_.type), plain_scalar(c_.type_of(c_.sink)), c_.sink.scale};
    for (size_t k = 0; k * at(scalar_bytes(c.from)) < from.size(); ++k)
        convert_plainly(c, from.data() + k * at(scalar_bytes(c.from)), to.data() + k * at(scalar_bytes(c.to)));
    return to;
}

int64_t CaseData::flat_index(const Dims &index) const {
    int64_t flat = 0;
    for (size_t d = 0; d < index.size(); ++d)
        flat = flat * c_.root[d] + index[d];
    return flat;
}

// Calls f(flat index, offset) for every element that a source position owns.
template <class F> void CaseData::for_each_element(int position, F f) const {
    int64_t flat = 0;
    for_each_index(c_.root, [&](const Dims &index) {
        for (const HeldElement &h : source_oracle_.holders(index))
            if (h.position == position)
                f(flat, h);
        ++flat;
    });
}

GuardedBuffer CaseData::new_source(int position) const {
    GuardedBuffer buffer(source_bytes(position), static_cast<uint64_t>(1000 + position));
    for_each_element(position, [&](int64_t flat, const HeldElement &h) {
        if (h.offset < 0 || (h.offset + 1) * src_pitch() > buffer.bytes())
            fault("source {}: element {} lies outside {} bytes", position, flat, buffer.bytes());
        const auto bytes = element(flat);
        for (int64_t b = 0; b < src_pitch(); ++b)
            buffer.data()[byte_offset(source_, c_.type, h, buffer.bytes(), b)] = bytes[at(b)];
    });
    return buffer;
}

GuardedBuffer CaseData::new_sink(int position) const {
    return GuardedBuffer(sink_bytes(position), static_cast<uint64_t>(5000000 + position));
}

void CaseData::check_source(int position, GuardedBuffer &buffer) const {
    for_each_element(position, [&](int64_t flat, const HeldElement &h) {
        const auto bytes = element(flat);
        for (int64_t b = 0; b < src_pitch(); ++b)
            if (buffer.data()[byte_offset(source_, c_.type, h, buffer.bytes(), b)] != bytes[at(b)])
                fault("source {}: element {} has changed", position, flat);
    });
    if (!buffer.guards_whole())
        fault("bytes around source {} have changed", position);
}

// Checks one sink buffer.
class CaseData::SinkCheck {
public:
    SinkCheck(const CaseData &data, GuardedBuffer &sink, const std::function<bool(int64_t)> &written)
        : data_(data), type_(data.c_.type_of(data.c_.sink)), sink_(sink), written_(written),
          filled_(at(sink.bytes()), false) {}

    void element(int64_t flat, const HeldElement &h) {
        const auto want = data_.wanted(flat);
        std::vector<std::byte> got(want.size());
        const bool converts = data_.c_.converts();
        for (int64_t b = 0; b < type_.pitch(); ++b) {
            const int64_t i = fill(h, b);
            got[at(b)] = sink_.data()[i];
            // Padding bytes inside an element may be copied or left.
            const bool right = (converts || got[at(b)] == want[at(b)]) && (!written_ || written_(i));
            if (b < type_.size && !right)
                fault("sink {}: byte {} of element {} is wrong", h.position, b, flat);
        }
        const Scalar scalar = plain_scalar(type_);
        for (int64_t b = 0; converts && b < type_.pitch(); b += scalar_bytes(scalar))
            if (!same_number(scalar, got.data() + b, want.data() + b))
                fault("sink {}: the number at byte {} of element {} is wrong", h.position, b, flat);
    }

    void zeros(const HeldElement &h) {
        for (int64_t b = 0; b < type_.pitch(); ++b)
            if (const int64_t i = fill(h, b); b < type_.size && sink_.data()[i] != std::byte{0})
                fault("sink {}: byte {} of the pad {} is not zero", h.position, b, model::to_text(h.local));
    }

    void rest(int position) {
        if (!sink_.guards_whole())
            fault("bytes around sink {} have changed", position);
        for (int64_t i = 0; i < sink_.bytes(); ++i)
            if (!filled_[at(i)] && (sink_.data()[i] != sink_.pattern(i) || (written_ && written_(i))))
                fault("sink {}: byte {} belongs to no common element, but was written", position, i);
    }

private:
    int64_t fill(const HeldElement &h, int64_t b) {
        const int64_t i = byte_offset(data_.sink_, type_, h, sink_.bytes(), b);
        filled_[at(i)] = true;
        return i;
    }

    const CaseData &data_;
    model::ElementType type_;
    GuardedBuffer &sink_;
    const std::function<bool(int64_t)> &written_;
    std::vector<bool> filled_;
};

void CaseData::check_sink(int position, GuardedBuffer &sink, const std::function<bool(int64_t)> &written) const {
    SinkCheck check(*this, sink, written);
    for (const auto &[held, index] : sink_oracle_.shown(position)) {
        if (held.offset < 0 || (held.offset + 1) * dst_pitch() > sink.bytes())
            fault("sink {}: offset {} lies outside {} bytes", position, model::to_text(held.local), sink.bytes());
        if (!index)
            check.zeros(held);
        else if (!source_oracle_.holders(*index).empty())
            check.element(flat_index(*index), held);
    }
    check.rest(position);
}

} // namespace dri::test
