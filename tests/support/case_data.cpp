#include "case_data.hpp"

#include "oracle_scalars.hpp"
#include "plain_runs.hpp"

#include <stdexcept>

namespace dri::test {

namespace {

// The value of byte b of the element with this key.
std::byte stamp(int64_t key, int64_t b) {
    const uint64_t word = scramble(static_cast<uint64_t>(key) * 64 + static_cast<uint64_t>(b / 8));
    return static_cast<std::byte>(word >> (8 * (b % 8)));
}

// The same element has other contents in each frame.
int64_t key_of(int64_t number, int64_t frame) { return number + frame * 1'000'000'007; }

// The offset of byte b of an element in its buffer. In split layouts each plane is one half of the buffer.
int64_t byte_offset(bool split, int64_t pitch, int64_t offset, int64_t buffer, int64_t b) {
    if (!split)
        return offset * pitch + b;
    const int64_t component = pitch / 2;
    return b / component * (buffer / 2) + offset * component + b % component;
}

} // namespace

CaseData::CaseData(const TransferCase &c, bool numbers)
    : c_(c), numbers_(numbers), source_(make_side(c, c.source)), sink_(make_side(c, c.sink)),
      source_oracle_(c, c.source, source_), sink_oracle_(c, c.sink, sink_) {}

// The bytes of an element as a source holds them.
void CaseData::make_element(int64_t key, std::vector<std::byte> &bytes) const {
    bytes.resize(at(src_pitch()));
    if (!numbers_) {
        for (int64_t b = 0; b < src_pitch(); ++b)
            bytes[at(b)] = stamp(key, b);
        return;
    }
    const Scalar scalar = plain_scalar(c_.type);
    const int64_t n = scalar_bytes(scalar);
    for (int64_t b = 0; b < src_pitch(); b += n)
        make_number(scalar, scramble(static_cast<uint64_t>(2 * key + (b > 0))), bytes.data() + b);
}

// The same element as a sink must receive it.
void CaseData::make_wanted(int64_t key, std::vector<std::byte> &from, std::vector<std::byte> &to) const {
    make_element(key, from);
    if (!c_.converts()) {
        to = from;
        return;
    }
    to.resize(at(dst_pitch()));
    const plan::Conversion c{plain_scalar(c_.type), plain_scalar(c_.type_of(c_.sink)), c_.sink.scale};
    for (size_t k = 0; k * at(scalar_bytes(c.from)) < from.size(); ++k)
        convert_plainly(c, from.data() + k * at(scalar_bytes(c.from)), to.data() + k * at(scalar_bytes(c.to)));
}

template <class Keeps>
CaseData::Held CaseData::held_by(const SideOracle &oracle, const planner::Side &side, int position, int64_t pitch,
                                 const Keeps &keeps) const {
    Held part{.elements = {},
              .bytes = planner::buffer_bytes(side, position),
              .split = side.layout(position).format == model::ComplexFormat::split};
    oracle.for_each_offset(position, c_.root, [&](int64_t number, int64_t offset, bool owned) {
        if (offset < 0 || (offset + 1) * pitch > part.bytes)
            fault("position {}: element {} at offset {} lies outside {} bytes", position, number, offset,
                  part.bytes);
        if (keeps(number, owned))
            part.elements.push_back({number, offset});
    });
    return part;
}

bool CaseData::is_in_source(int64_t number) const {
    for (size_t d = c_.root.size(); d-- > 0;) {
        const int64_t index = number % c_.root[d] - c_.source.offset[d];
        if (index < 0 || index >= c_.source.sizes[d])
            return false;
        number /= c_.root[d];
    }
    return true;
}

CaseData::Held CaseData::source_part(int position) const {
    return held_by(source_oracle_, source_, position, src_pitch(), [](int64_t, bool owned) { return owned; });
}

CaseData::Held CaseData::sink_part(int position) const {
    const bool all = c_.source.sizes == c_.root;
    return held_by(sink_oracle_, sink_, position, dst_pitch(),
                   [&](int64_t number, bool) { return all || number == Element::zeros || is_in_source(number); });
}

void CaseData::fill_source(const Held &part, int64_t frame, std::byte *buffer) const {
    std::vector<std::byte> from;
    for (const auto &[number, offset] : part.elements) {
        make_element(key_of(number, frame), from);
        for (int64_t b = 0; b < src_pitch(); ++b)
            buffer[byte_offset(part.split, src_pitch(), offset, part.bytes, b)] = from[at(b)];
    }
}

void CaseData::fill_zeros(const Held &part, std::byte *buffer) const {
    for (const Element &e : part.elements)
        for (int64_t b = 0; b < dst_pitch(); ++b)
            buffer[byte_offset(part.split, dst_pitch(), e.offset, part.bytes, b)] = std::byte{0};
}

void CaseData::expect_source(const Held &part, int64_t frame, const std::byte *buffer) const {
    std::vector<std::byte> from;
    for (const auto &[number, offset] : part.elements) {
        make_element(key_of(number, frame), from);
        for (int64_t b = 0; b < src_pitch(); ++b)
            if (buffer[byte_offset(part.split, src_pitch(), offset, part.bytes, b)] != from[at(b)])
                fault("element {} of the source has changed", number);
    }
}

// Checks one sink buffer.
class CaseData::SinkCheck {
public:
    SinkCheck(const CaseData &data, const Held &part, const std::byte *sink, const Before &before,
              const Written &written)
        : data_(data), part_(part), type_(data.c_.type_of(data.c_.sink)), sink_(sink), before_(before),
          written_(written), filled_(at(part.bytes), false) {}

    void element(const Element &e, int64_t frame) {
        data_.make_wanted(key_of(e.number, frame), from_, want_);
        got_.resize(want_.size());
        const bool converts = data_.c_.converts();
        for (int64_t b = 0; b < type_.pitch(); ++b) {
            const int64_t i = fill(e, b);
            got_[at(b)] = sink_[i];
            const bool right = (converts || got_[at(b)] == want_[at(b)]) && (!written_ || written_(i));
            // Padding bytes inside an element may be copied or left.
            if (!right && (b < type_.size || got_[at(b)] != before_(i)))
                fault("byte {} of element {} is wrong", b, e.number);
        }
        const Scalar scalar = converts ? plain_scalar(type_) : Scalar{};
        for (int64_t b = 0; converts && b < type_.pitch(); b += scalar_bytes(scalar))
            if (!same_number(scalar, got_.data() + b, want_.data() + b))
                fault("the number at byte {} of element {} is wrong", b, e.number);
    }

    void zeros(const Element &e) {
        for (int64_t b = 0; b < type_.pitch(); ++b)
            if (const int64_t i = fill(e, b); b < type_.size && sink_[i] != std::byte{0})
                fault("byte {} of the pad at offset {} is not zero", b, e.offset);
    }

    void rest() const {
        for (int64_t i = 0; i < part_.bytes; ++i)
            if (!filled_[at(i)] && (sink_[i] != before_(i) || (written_ && written_(i))))
                fault("byte {} belongs to no common element, but was written", i);
    }

private:
    int64_t fill(const Element &e, int64_t b) {
        const int64_t i = byte_offset(part_.split, type_.pitch(), e.offset, part_.bytes, b);
        filled_[at(i)] = true;
        return i;
    }

    const CaseData &data_;
    const Held &part_;
    model::ElementType type_;
    const std::byte *sink_;
    const Before &before_;
    const Written &written_;
    std::vector<bool> filled_;
    std::vector<std::byte> from_, want_, got_;
};

void CaseData::expect_sink(const Held &part, int64_t frame, const std::byte *buffer, const Before &before,
                           const Written &written) const {
    SinkCheck check(*this, part, buffer, before, written);
    for (const Element &e : part.elements)
        if (e.number == Element::zeros)
            check.zeros(e);
        else
            check.element(e, frame);
    check.rest();
}

GuardedBuffer CaseData::new_source(int position) const {
    GuardedBuffer buffer(source_bytes(position), static_cast<uint64_t>(1000 + position));
    fill_source(source_part(position), 0, buffer.data());
    return buffer;
}

GuardedBuffer CaseData::new_sink(int position) const {
    return GuardedBuffer(sink_bytes(position), static_cast<uint64_t>(5000000 + position));
}

void CaseData::check_source(int position, GuardedBuffer &buffer) const {
    expect_source(source_part(position), 0, buffer.data());
    if (!buffer.guards_whole())
        fault("bytes around source {} have changed", position);
}

void CaseData::check_sink(int position, GuardedBuffer &sink, const Written &written) const {
    try {
        expect_sink(
            sink_part(position), 0, sink.data(), [&](int64_t i) { return sink.pattern(i); }, written);
    } catch (const std::runtime_error &e) {
        fault("sink {}: {}", position, e.what());
    }
    if (!sink.guards_whole())
        fault("bytes around sink {} have changed", position);
}

} // namespace dri::test
