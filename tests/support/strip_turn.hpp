// One endpoint of a corner turn in strips, with the contents of each strip. Each strip is a box of the array; what
// it holds is computed by the oracle, not by the library's queries.
#pragma once

#include "support/case_part.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace dri::test {

struct StripEndpoint {
    int dim = 0;
    int64_t size = 0; // length of a strip along dim; 0: the whole array in one strip
    std::string side; // of a case line: how each strip is cut and lies in memory
    int nbuffs = 1;
    std::vector<int> procs = {}; // empty: all
};

// A source's rows are cut among processes in strips of rows, a sink's columns in strips of columns.
inline StripEndpoint row_strips(int64_t size, int nbuffs = 1) {
    return {.dim = 0, .size = size, .side = "block,* rm", .nbuffs = nbuffs};
}
inline StripEndpoint column_strips(int64_t size, int nbuffs = 1) {
    return {.dim = 1, .size = size, .side = "*,block cm", .nbuffs = nbuffs};
}

struct StripTurn {
    int64_t sizes[2] = {13, 9};
    std::string type = "int32";
    StripEndpoint source = {}, sink = {};
    std::string words = {}; // at the end of the case line
};

// This process's endpoint of a corner turn.
class TurnEndpoint {
public:
    TurnEndpoint(const std::string &name, DRI_Role role, const StripTurn &turn) {
        const StripEndpoint &spec = role == DRI_SOURCE ? turn.source : turn.sink;
        const std::vector<int> procs = spec.procs.empty() ? all_ranks() : spec.procs;
        if (std::find(procs.begin(), procs.end(), world().rank) == procs.end())
            return;
        const int64_t extent = turn.sizes[spec.dim], size = spec.size == 0 ? extent : spec.size;
        for (int64_t first = 0; first < extent; first += size) {
            int64_t offset[2] = {}, sizes[2] = {turn.sizes[0], turn.sizes[1]};
            offset[spec.dim] = first;
            sizes[spec.dim] = std::min(size, extent - first);
            const std::string side = fmt::format("at[{}]+[{}] {} over {}", fmt::join(offset, ","),
                                                 fmt::join(sizes, ","), spec.side, fmt::join(procs, ","));
            parts_.emplace_back(
                case_of(fmt::format("{} [{}] {} -> {} direct buffers={} {}", turn.type, fmt::join(turn.sizes, ","),
                                    side, side, spec.nbuffs, turn.words)),
                role);
        }
        endpoint_ = spec.size == 0 ? parts_[0].declare(name) : parts_[0].declare_strips(name, spec.dim);
    }

    explicit operator bool() const { return static_cast<bool>(endpoint_.xfer); }
    DRI_Xfer xfer() const { return endpoint_.xfer; }
    int64_t strips() const { return std::ssize(parts_); }

    void fill(void *buffer, int64_t frame) const { strip(frame).fill(buffer, frame / strips()); }
    // The number of wrong elements of a strip, overlap included.
    int64_t wrong(const void *buffer, int64_t frame) const { return strip(frame).wrong(buffer, frame / strips()); }
    // Bytes of the largest strip that this process holds.
    int64_t bytes() const {
        int64_t max = 0;
        for (const CasePart &part : parts_)
            max = std::max(max, part.elements() * part.pitch());
        return max;
    }
    int64_t owned(int64_t strip) const { return parts_[static_cast<size_t>(strip)].owned(); }

private:
    const CasePart &strip(int64_t frame) const { return parts_[static_cast<size_t>(frame % strips())]; }

    std::vector<CasePart> parts_; // one per strip
    CaseEndpoint endpoint_;
};

} // namespace dri::test
