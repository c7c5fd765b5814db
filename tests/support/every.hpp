// Sinks that take every k-th frame of one source.
#pragma once

#include "support/closing.hpp"
#include "support/strip.hpp"

namespace dri::test::every {

inline constexpr int64_t every_way = DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT;
inline constexpr int64_t all_ways[] = {every_way, DRI_WAY_SELF | DRI_WAY_MESSAGE, DRI_WAY_MESSAGE};
inline constexpr StripShape shape{14, 9};

// The sinks of one name have different distributions, so that a process can hold all of them.
inline constexpr const char *cuts[] = {"*,block cm", "block,* rm", "*,cyclic(0,1) rm"};

inline TransferCase case_to(const char *cut, const std::vector<int> &from, const std::vector<int> &to,
                            int nbuffs) {
    return case_of(fmt::format("int32 [{},{}] block,* rm over {} -> {} over {} direct buffers={}", shape.rows,
                               shape.columns, fmt::join(from, ","), cut, fmt::join(to, ","), nbuffs));
}

inline void set(DRI_Xfer xfer, DRI_Attr attribute, int64_t value) {
    expect_success(DRI_xfer_set_attr(xfer, attribute, value), "DRI_xfer_set_attr");
}

inline std::optional<Strip> declare_sink(const std::string &name, size_t cut, const std::vector<int> &from,
                                         const std::vector<int> &to, int nbuffs, int64_t every, int64_t phase) {
    if (!is_in(to, world().rank))
        return std::nullopt;
    Strip sink = declare_part(name, CasePart(case_to(cuts[cut], from, to, nbuffs), DRI_SINK), shape);
    set(sink.xfer, DRI_ATTR_EVERY, every);
    set(sink.xfer, DRI_ATTR_PHASE, phase);
    return sink;
}

} // namespace dri::test::every
