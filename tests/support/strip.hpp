// One endpoint of a transfer of a matrix that is cut in rows or columns, with the contents of its buffers.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dri::test {

struct StripShape {
    int64_t rows = 0, columns = 0;
};

struct Strip {
    StripShape shape;
    Dist dist;
    Xfer xfer;
    int64_t low[2]{}, high[2]{}; // the rows and columns that this process holds

    static int32_t value(int64_t i, int64_t j, int64_t frame) {
        return static_cast<int32_t>(i * 1009 + j * 31 + frame * 1000003 + 1);
    }
    // Calls f(i, j, offset). A source's part is row-major, a sink's column-major.
    template <class F> void each(bool by_columns, F f) const {
        const int64_t n0 = high[0] - low[0], n1 = high[1] - low[1];
        for (int64_t i = 0; i < n0; ++i)
            for (int64_t j = 0; j < n1; ++j)
                f(i + low[0], j + low[1], by_columns ? j * n0 + i : i * n1 + j);
    }
    void fill(void *buffer, int64_t frame) const {
        each(false,
             [&](int64_t i, int64_t j, int64_t at) { static_cast<int32_t *>(buffer)[at] = value(i, j, frame); });
    }
    int64_t wrong(const void *buffer, int64_t frame) const {
        int64_t n = 0;
        each(true, [&](int64_t i, int64_t j, int64_t at) {
            n += static_cast<const int32_t *>(buffer)[at] != value(i, j, frame);
        });
        return n;
    }
    bool is_empty() const { return low[0] == high[0] || low[1] == high[1]; }
};

inline bool is_in(const std::vector<int> &procs, int rank) {
    return std::find(procs.begin(), procs.end(), rank) != procs.end();
}

// This process's endpoint over `procs`, or nothing if it is not one of them. A source holds rows, a sink columns.
// The first processes hold one more than the others if the division leaves a remainder.
inline std::optional<Strip> declare_strip(const std::string &name, DRI_Role role, const std::vector<int> &procs,
                                          int nbuffs, StripShape shape = {14, 9}) {
    const auto at = std::find(procs.begin(), procs.end(), world().rank);
    if (at == procs.end())
        return std::nullopt;
    const size_t cut = role == DRI_SOURCE ? 0 : 1;
    Strip strip;
    strip.shape = shape;
    strip.dist = make_dist(make_gdo({shape.rows, shape.columns}, DRI_INT32), make_blocks(2, static_cast<int>(cut)),
                           make_group(procs));
    strip.xfer = make_xfer(name, role, strip.dist, role == DRI_SOURCE ? DRI_ROW_MAJOR : DRI_COL_MAJOR, nbuffs);
    strip.high[0] = shape.rows;
    strip.high[1] = shape.columns;
    const int64_t n = strip.high[cut], p = std::ssize(procs), c = at - procs.begin();
    strip.low[cut] = c * (n / p) + std::min(c, n % p);
    strip.high[cut] = strip.low[cut] + n / p + (c < n % p ? 1 : 0);
    return strip;
}

// The source of a stream.
inline std::optional<Strip> declare_stream(const std::string &name, const std::vector<int> &procs, int nbuffs,
                                           StripShape shape) {
    auto source = declare_strip(name, DRI_SOURCE, procs, nbuffs, shape);
    if (source)
        expect_success(DRI_xfer_set_attr(source->xfer, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    return source;
}

inline void set_timeout(DRI_Xfer xfer, int64_t milliseconds) {
    expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_TIMEOUT_MS, milliseconds), "DRI_xfer_set_attr");
}

inline int64_t frames_of(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info.frames;
}

inline void *acquire(DRI_Xfer source) {
    void *buffer = nullptr;
    expect_success(DRI_acquire(source, &buffer), "DRI_acquire");
    return buffer;
}

inline void *extract(DRI_Xfer sink, DRI_Frame *frame = nullptr) {
    void *buffer = nullptr;
    expect_success(DRI_extract(sink, &buffer, frame), "DRI_extract");
    return buffer;
}

inline void insert(DRI_Xfer source, const DRI_Frame *frame = nullptr) {
    expect_success(DRI_insert(source, frame), "DRI_insert");
}
inline void release(DRI_Xfer sink) { expect_success(DRI_release(sink), "DRI_release"); }

} // namespace dri::test
