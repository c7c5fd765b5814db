// One end of a transfer whose window slides, or of the other side of one, with what belongs into its buffers:
// every place is walked, and what it shows follows from the words of the interface, not from the library's
// queries.
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
    WindowBox box;         // the end's GDO
    std::vector<Cut> cuts; // with as many parts as they say, one of DRI_WHOLE
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

// The elements that both have, and the offsets that keep them in the one's array, along a dimension that slides.
WindowBox common_box(const WindowBox &a, const WindowBox &b);
std::pair<int64_t, int64_t> offsets_within(const WindowBox &array, const WindowBox &window, size_t d);

// This process's end; nothing where it is in no group.
class WindowEndpoint {
public:
    WindowEndpoint(const std::string &name, DRI_Role role, const Numbers &root, const WindowSide &side,
                   const WindowElement &element);
    explicit operator bool() const { return static_cast<bool>(xfer_); }
    DRI_Xfer xfer() const { return xfer_; }
    void set(DRI_Attr attribute, int64_t value) const;
    void begin(); // after the commit: fills all buffers with what no frame has

    // A source: the contents of the buffer to fill now, as of frame f.
    void fill(int64_t frame) const;
    // A sink: what the buffer of its frame `at` must hold once it has the source's frame f, whose window was moved
    // by source_offset there and by sink_offset here; then whether it does.
    void expect(int64_t at, int64_t frame, const WindowBox &source, const Numbers &source_offset,
                const Numbers &sink_offset);
    void rebase(const Numbers &offset) const;
    void destroy() { xfer_.reset(); }

private:
    static std::vector<std::byte> value(const WindowElement &element, const Numbers &index, int64_t frame);
    std::byte *byte(std::byte *buffer, int64_t place, int64_t b) const;
    void put(std::byte *buffer, int64_t place, const std::vector<std::byte> &bytes) const;
    Numbers index_of(size_t k) const; // in the root; zeros where the pad holds zeros
    bool is_pad(size_t k) const;

    WindowSide side_;
    WindowElement element_;
    std::vector<std::vector<Shown>> rows_; // per dimension
    std::vector<int64_t> places_;          // of all that it shows, in row-major order
    int64_t bytes_ = 0;
    std::vector<std::vector<std::byte>> memory_, expected_; // per buffer
    std::vector<void *> buffers_;
    Dist dist_;
    Xfer xfer_;
};

} // namespace dri_test
