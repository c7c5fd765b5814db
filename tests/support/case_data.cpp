#include "case_data.hpp"

#include "oracle_scalars.hpp"
#include "plain_runs.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace dri::test {

namespace {

// The same element has other contents in each frame.
int64_t key_of(int64_t number, int64_t frame) { return number + frame * 1'000'000'007; }

// How the bytes of an element of `pitch` bytes lie in a buffer: together, or in two planes, each one half of the
// buffer.
struct Planes {
    int count;
    size_t bytes; // of an element in each plane
    int64_t distance;

    Planes(const CaseData::Held &part, int64_t pitch)
        : count(part.split ? 2 : 1), bytes(at(pitch) / at(count)), distance(part.bytes / count) {}
    // Calls f(offset in the buffer, offset in the element) for each plane.
    template <class F> void each(int64_t offset, const F &f) const {
        for (int k = 0; k < count; ++k)
            f(k * distance + offset * static_cast<int64_t>(bytes), at(k) * bytes);
    }
};

} // namespace

CaseData::CaseData(const TransferCase &c, bool numbers)
    : c_(c), numbers_(numbers), source_(make_side(c, c.source)), sink_(make_side(c, c.sink)),
      source_oracle_(c, c.source, source_), sink_oracle_(c, c.sink, sink_) {}

// The bytes of an element as a source holds them.
void CaseData::make_element(int64_t key, std::vector<std::byte> &bytes) const {
    bytes.resize(at(src_pitch()));
    if (!numbers_) {
        for (size_t b = 0; b < bytes.size(); b += 8) {
            const uint64_t word = scramble(static_cast<uint64_t>(key) * 64 + b / 8);
            std::memcpy(&bytes[b], &word, std::min<size_t>(8, bytes.size() - b));
        }
        return;
    }
    const Scalar scalar = plain_scalar(c_.type);
    const int64_t n = scalar_bytes(scalar);
    for (int64_t b = 0; b < src_pitch(); b += n)
        make_number(scalar, scramble(static_cast<uint64_t>(2 * key + (b > 0))), bytes.data() + b);
}

// The same element as a sink must receive it.
void CaseData::make_wanted(int64_t key, std::vector<std::byte> &from, std::vector<std::byte> &to) const {
    if (!c_.converts())
        return make_element(key, to);
    make_element(key, from);
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
    if (part.bytes % pitch != 0)
        fault("position {}: {} bytes are not whole elements", position, part.bytes);
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
    const Planes planes(part, src_pitch());
    std::vector<std::byte> from;
    for (const auto &[number, offset] : part.elements) {
        make_element(key_of(number, frame), from);
        planes.each(offset, [&](int64_t i, size_t b) { std::memcpy(buffer + i, &from[b], planes.bytes); });
    }
}

void CaseData::fill_zeros(const Held &part, std::byte *buffer) const {
    const Planes planes(part, dst_pitch());
    for (const Element &e : part.elements)
        planes.each(e.offset, [&](int64_t i, size_t) { std::memset(buffer + i, 0, planes.bytes); });
}

void CaseData::expect_source(const Held &part, int64_t frame, const std::byte *buffer) const {
    const Planes planes(part, src_pitch());
    std::vector<std::byte> from;
    for (const auto &[number, offset] : part.elements) {
        make_element(key_of(number, frame), from);
        planes.each(offset, [&, number = number](int64_t i, size_t b) {
            if (std::memcmp(buffer + i, &from[b], planes.bytes) != 0)
                fault("element {} of the source has changed", number);
        });
    }
}

// Checks one sink buffer.
class CaseData::SinkCheck {
public:
    SinkCheck(const CaseData &data, const Held &part, const std::byte *sink, const Before &before,
              const Written &written)
        : data_(data), type_(data.c_.type_of(data.c_.sink)), planes_(part, type_.pitch()), sink_(sink),
          before_(before), written_(written), filled_(at(part.bytes / type_.pitch()), false),
          got_(at(type_.pitch())) {}

    void any(const Element &e, int64_t frame) {
        if (e.number == Element::zeros)
            zeros(e);
        else
            element(e, frame);
    }

    void rest() const {
        for (size_t offset = 0; offset < filled_.size(); ++offset)
            if (!filled_[offset])
                planes_.each(static_cast<int64_t>(offset), [&](int64_t first, size_t) {
                    for (int64_t i = first; i < first + static_cast<int64_t>(planes_.bytes); ++i)
                        if (sink_[i] != before_(i) || (written_ && written_(i)))
                            fault("byte {} belongs to no common element, but was written", i);
                });
    }

private:
    void element(const Element &e, int64_t frame) {
        data_.make_wanted(key_of(e.number, frame), from_, want_);
        take(e);
        if (data_.c_.converts())
            expect_numbers(e);
        if (written_ || (!data_.c_.converts() && std::memcmp(got_.data(), want_.data(), got_.size()) != 0))
            expect_bytes(e);
    }

    void zeros(const Element &e) {
        take(e);
        for (size_t b = 0; b < at(type_.size); ++b)
            if (got_[b] != std::byte{0})
                fault("byte {} of the pad at offset {} is not zero", b, e.offset);
    }

    void take(const Element &e) {
        filled_[at(e.offset)] = true;
        planes_.each(e.offset, [&](int64_t i, size_t b) { std::memcpy(&got_[b], sink_ + i, planes_.bytes); });
    }

    void expect_numbers(const Element &e) const {
        const Scalar scalar = plain_scalar(type_);
        for (size_t b = 0; b < got_.size(); b += at(scalar_bytes(scalar)))
            if (!same_number(scalar, &got_[b], &want_[b]))
                fault("the number at byte {} of element {} is wrong", b, e.number);
    }

    // Byte by byte. Padding bytes inside an element may be copied or left.
    void expect_bytes(const Element &e) const {
        planes_.each(e.offset, [&](int64_t first, size_t from) {
            for (size_t b = from; b < from + planes_.bytes; ++b) {
                const int64_t i = first + static_cast<int64_t>(b - from);
                const bool right = (data_.c_.converts() || got_[b] == want_[b]) && (!written_ || written_(i));
                if (!right && (b < at(type_.size) || got_[b] != before_(i)))
                    fault("byte {} of element {} is wrong", b, e.number);
            }
        });
    }

    const CaseData &data_;
    model::ElementType type_;
    Planes planes_;
    const std::byte *sink_;
    const Before &before_;
    const Written &written_;
    std::vector<bool> filled_; // per offset
    std::vector<std::byte> from_, want_, got_;
};

void CaseData::expect_sink(const Held &part, int64_t frame, const std::byte *buffer, const Before &before,
                           const Written &written) const {
    SinkCheck check(*this, part, buffer, before, written);
    for (const Element &e : part.elements)
        check.any(e, frame);
    check.rest();
}

int64_t CaseData::count_wrong(const Held &part, int64_t frame, const std::byte *buffer) const {
    const Before before = [&](int64_t i) { return buffer[i]; };
    const Written any;
    SinkCheck check(*this, part, buffer, before, any);
    return std::count_if(part.elements.begin(), part.elements.end(), [&](const Element &e) {
        try {
            check.any(e, frame);
        } catch (const std::runtime_error &) {
            return true;
        }
        return false;
    });
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
