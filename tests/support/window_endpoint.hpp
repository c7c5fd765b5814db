// One endpoint of a transfer with a sliding window, of either side, with the contents of its buffers. Every byte
// is checked against the oracle, not against the library's queries.
#pragma once

#include "support/buffers.hpp"
#include "support/case_objects.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dri::test {

// A box of the root array.
struct WindowBox {
    dri::Dims offset, sizes;
    int64_t end(size_t d) const { return offset[d] + sizes[d]; }
};
inline WindowBox box_of(const SideSpec &side) { return {side.offset, side.sizes}; }

// The elements that both boxes contain. offsets_within: the offsets along dimension d that keep the window inside
// the array.
WindowBox common_box(const WindowBox &a, const WindowBox &b);
std::pair<int64_t, int64_t> offsets_within(const WindowBox &array, const WindowBox &window, size_t d);

// This process's endpoint; empty if the process is not in the group.
class WindowEndpoint {
public:
    // slides: DRI_ATTR_REBASE. Collective over the side's processes.
    WindowEndpoint(const std::string &name, DRI_Role role, const TransferCase &c, int64_t slides);
    explicit operator bool() const { return static_cast<bool>(made_.xfer); }
    DRI_Xfer xfer() const { return made_.xfer; }
    void set(DRI_Attr attribute, int64_t value) const;
    void begin(); // after the commit: fills all buffers with a value that no frame has

    // A source: writes frame f to the next buffer.
    void fill(int64_t frame) const;
    // A sink: checks the buffer of its frame `at`, which holds the source's frame `frame`. source_offset and
    // sink_offset are the offsets of the windows on the two sides.
    void expect(int64_t at, int64_t frame, const dri::Dims &source_offset, const dri::Dims &sink_offset);
    void rebase(const dri::Dims &offset) const;

private:
    std::unique_ptr<CaseData> data_;
    CaseEndpoint made_;
    CaseData::Held part_; // all that the part shows
    std::unique_ptr<Buffers> buffers_;
    std::vector<std::vector<std::byte>> expected_; // per buffer
};

} // namespace dri::test
