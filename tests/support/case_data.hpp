// What the buffers of a case must hold before and after a frame, one group position at a time.
#pragma once

#include "guarded_buffer.hpp"
#include "oracle.hpp"

#include <functional>

namespace dri::test {

class CaseData {
public:
    explicit CaseData(const TransferCase &c) : CaseData(c, c.converts()) {}
    // numbers: elements are valid numbers instead of arbitrary bytes. This is needed if any sink of the source
    // converts.
    CaseData(const TransferCase &c, bool numbers);

    const TransferCase &transfer() const { return c_; }
    const planner::Side &source() const { return source_; }
    const planner::Side &sink() const { return sink_; }
    const SideOracle &source_oracle() const { return source_oracle_; }
    const SideOracle &sink_oracle() const { return sink_oracle_; }
    int sources() const { return source_oracle_.positions(); }
    int sinks() const { return sink_oracle_.positions(); }
    int64_t source_bytes(int position) const { return planner::buffer_bytes(source_, position); }
    int64_t sink_bytes(int position) const { return planner::buffer_bytes(sink_, position); }
    GuardedBuffer new_source(int position) const; // filled with its elements
    GuardedBuffer new_sink(int position) const;

    // An element of a part: its row-major number in the root object, and its offset in the buffer.
    struct Element {
        static constexpr int64_t zeros = -1; // number of a pad of zeros
        int64_t number, offset;
    };
    struct Held {
        std::vector<Element> elements;
        int64_t bytes; // of the buffer
        bool split;
    };
    // Throw std::runtime_error if an element lies outside the buffer.
    Held source_part(int position) const; // with the elements that the part owns
    Held sink_part(int position) const;   // with the elements that a frame changes

    // The contents of frame `frame`, other ones in each frame.
    void fill_source(const Held &part, int64_t frame, std::byte *buffer) const;
    void fill_zeros(const Held &part, std::byte *buffer) const; // all elements

    // A byte of a buffer: what it held before the frame, or whether the transfer has written it.
    using Before = std::function<std::byte(int64_t)>;
    using Written = std::function<bool(int64_t)>;
    // Throw std::runtime_error if a byte is wrong, or if a byte was written that must not be.
    void expect_source(const Held &part, int64_t frame, const std::byte *buffer) const;
    void expect_sink(const Held &part, int64_t frame, const std::byte *buffer, const Before &before,
                     const Written &written = {}) const;

    // The number of a sink's elements that differ from those of a frame.
    int64_t count_wrong(const Held &part, int64_t frame, const std::byte *buffer) const;

    // The expectations for frame 0, and for the bytes around the buffer.
    void check_source(int position, GuardedBuffer &buffer) const;
    void check_sink(int position, GuardedBuffer &buffer, const Written &written = {}) const;

private:
    int64_t src_pitch() const { return c_.type.pitch(); }
    int64_t dst_pitch() const { return c_.type_of(c_.sink).pitch(); }
    void make_element(int64_t key, std::vector<std::byte> &bytes) const;
    void make_wanted(int64_t key, std::vector<std::byte> &from, std::vector<std::byte> &to) const;
    bool is_in_source(int64_t number) const;
    template <class Keeps>
    Held held_by(const SideOracle &oracle, const planner::Side &side, int position, int64_t pitch,
                 const Keeps &keeps) const;

    class SinkCheck;

    TransferCase c_;
    bool numbers_;
    planner::Side source_, sink_;
    SideOracle source_oracle_, sink_oracle_;
};

} // namespace dri::test
