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

    const planner::Side &source() const { return source_; }
    const planner::Side &sink() const { return sink_; }
    int sources() const { return source_oracle_.positions(); }
    int sinks() const { return sink_oracle_.positions(); }
    int64_t source_bytes(int position) const { return planner::buffer_bytes(source_, position); }
    int64_t sink_bytes(int position) const { return planner::buffer_bytes(sink_, position); }
    GuardedBuffer new_source(int position) const; // filled with its elements
    GuardedBuffer new_sink(int position) const;

    // Throw std::runtime_error if a byte is wrong, or if a byte in or around the buffer was written that must not
    // be. written: whether the transfer has written a byte of the sink, if that is known.
    void check_source(int position, GuardedBuffer &buffer) const;
    void check_sink(int position, GuardedBuffer &buffer, const std::function<bool(int64_t)> &written = {}) const;

private:
    int64_t src_pitch() const { return c_.type.pitch(); }
    int64_t dst_pitch() const { return c_.type_of(c_.sink).pitch(); }
    std::vector<std::byte> element(int64_t flat) const;
    std::vector<std::byte> wanted(int64_t flat) const;
    int64_t flat_index(const Dims &index) const;
    template <class F> void for_each_element(int position, F f) const;

    class SinkCheck;

    const TransferCase &c_;
    bool numbers_;
    planner::Side source_, sink_;
    SideOracle source_oracle_, sink_oracle_;
};

} // namespace dri::test
