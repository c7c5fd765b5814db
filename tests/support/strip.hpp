// One endpoint of a transfer of a matrix that is cut in rows or columns, with the contents of its buffers.
#pragma once

#include "support/case_part.hpp"
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
    CasePart part; // of the case that strip_case() gives
    Dist dist;
    Xfer xfer;

    void fill(void *buffer, int64_t frame) const { part.fill(buffer, frame); }
    int64_t wrong(const void *buffer, int64_t frame) const { return part.wrong(buffer, frame); }
    bool is_empty() const { return part.elements() == 0; }
};

// From row-major rows to column-major columns, over the same processes.
inline TransferCase strip_case(const std::vector<int> &procs, int nbuffs, StripShape shape) {
    const std::string over = fmt::format("over {}", fmt::join(procs, ","));
    return case_of(fmt::format("int32 [{},{}] block,* rm {} -> *,block cm {} direct buffers={}", shape.rows,
                               shape.columns, over, over, nbuffs));
}

inline bool is_in(const std::vector<int> &procs, int rank) {
    return std::find(procs.begin(), procs.end(), rank) != procs.end();
}

inline Strip declare_part(const std::string &name, CasePart part, StripShape shape) {
    CaseEndpoint endpoint = part.declare(name);
    return {.shape = shape,
            .part = std::move(part),
            .dist = std::move(endpoint.dist),
            .xfer = std::move(endpoint.xfer)};
}

// This process's endpoint over `procs`, or nothing if it is not one of them. A source holds rows, a sink columns.
inline std::optional<Strip> declare_strip(const std::string &name, DRI_Role role, const std::vector<int> &procs,
                                          int nbuffs, StripShape shape = {14, 9}) {
    if (!is_in(procs, world().rank))
        return std::nullopt;
    return declare_part(name, CasePart(strip_case(procs, nbuffs, shape), role), shape);
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

inline void *next(DRI_Xfer source) {
    void *buffer = nullptr;
    expect_success(DRI_next(source, &buffer), "DRI_next");
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
