// One endpoint of a transfer with a sliding window, of either side, with the contents of its buffers. Every offset
// is visited, and what it shows follows from the description of the interface, not from the library's queries.
#pragma once

#include "support/held.hpp"
#include "support/objects.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dri_test {

// A box of the root array.
struct WindowBox {
    Numbers offset, sizes;
    int64_t end(size_t d) const { return offset[d] + sizes[d]; }
};

struct WindowSide {
    WindowBox box;         // the endpoint's GDO
    std::vector<Cut> cuts; // the numbers of parts are explicit; a DRI_WHOLE dimension has one
    std::vector<int> procs;
    Lay lay{};
    int nbuffs = 1;
    bool user_memory = false;
    int64_t slides = 0; // DRI_ATTR_REBASE
};

struct WindowElement {
    DRI_Type type = DRI_INT32;
    int64_t pitch = 4;
};

// The elements that both boxes contain. offsets_within: the offsets along dimension d that keep the window inside
// the array.
WindowBox common_box(const WindowBox &a, const WindowBox &b);
std::pair<int64_t, int64_t> offsets_within(const WindowBox &array, const WindowBox &window, size_t d);

// This process's endpoint; empty if the process is not in the group.
class WindowEndpoint {
public:
    WindowEndpoint(const std::string &name, DRI_Role role, const Numbers &root, const WindowSide &side,
                   const WindowElement &element);
    explicit operator bool() const { return static_cast<bool>(xfer_); }
    DRI_Xfer xfer() const { return xfer_; }
    void set(DRI_Attr attribute, int64_t value) const;
    void begin(); // after the commit: fills all buffers with a value that no frame has

    // A source: writes frame f to the next buffer.
    void fill(int64_t frame) const;
    // A sink: checks the buffer of its frame `at`, which holds the source's frame `frame`. source_offset and
    // sink_offset are the offsets of the windows on the two sides.
    void expect(int64_t at, int64_t frame, const WindowBox &source, const Numbers &source_offset,
                const Numbers &sink_offset);
    void rebase(const Numbers &offset) const;
    void destroy() { xfer_.reset(); }

private:
    static std::vector<std::byte> value(const WindowElement &element, const Numbers &index, int64_t frame);
    std::byte *byte(std::byte *buffer, int64_t offset, int64_t b) const;
    void put(std::byte *buffer, int64_t offset, const std::vector<std::byte> &bytes) const;
    Numbers index_of(size_t k) const; // in the root object; meaningless if is_pad(k)
    bool is_pad(size_t k) const;

    WindowSide side_;
    WindowElement element_;
    std::vector<std::vector<Shown>> rows_; // per dimension
    std::vector<int64_t> offsets_;         // of every element shown, in row-major order
    int64_t bytes_ = 0;
    std::vector<std::vector<std::byte>> memory_, expected_; // per buffer
    std::vector<void *> buffers_;
    Dist dist_;
    Xfer xfer_;
};

} // namespace dri_test
