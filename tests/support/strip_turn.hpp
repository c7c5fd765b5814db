// One endpoint of a corner turn in strips, with the contents of each strip. Every index is visited, and its offset
// follows from the description of the interface, not from the library's queries.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace dri::test {

// How a dimension of a strip is cut among the processes of the endpoint.
struct StripCut {
    enum class Kind { undivided, even, dealt };
    Kind kind = Kind::undivided;
    int64_t block = 1;   // elements per block of a dealt dimension
    int64_t overlap = 0; // of an even dimension, on both sides
};

struct StripEndpoint {
    int dim = 0;
    int64_t size = 0; // length of a strip along dim; 0: the whole array in one strip
    StripCut cuts[2];
    bool by_columns = false; // column-major layout
    int nbuffs = 1;
    std::vector<int> procs{}; // empty: all
};

// A source's rows are cut among processes in strips of rows, a sink's columns in strips of columns.
inline StripEndpoint row_strips(int64_t size, int nbuffs = 1) {
    return {0, size, {{StripCut::Kind::even}, {}}, false, nbuffs, {}};
}
inline StripEndpoint column_strips(int64_t size, int nbuffs = 1) {
    return {1, size, {{}, {StripCut::Kind::even}}, true, nbuffs, {}};
}

struct StripTurn {
    int64_t sizes[2] = {13, 9};
    DRI_Type type = DRI_INT32;
    int64_t pitch = 4;
    StripEndpoint source, sink;
};

// This process's endpoint of a corner turn.
class TurnEndpoint {
public:
    TurnEndpoint(const std::string &name, DRI_Role role, const StripTurn &turn)
        : turn_(turn), spec_(role == DRI_SOURCE ? turn.source : turn.sink) {
        const std::vector<int> procs = spec_.procs.empty() ? all_ranks() : spec_.procs;
        const auto at = std::find(procs.begin(), procs.end(), world().rank);
        if (at == procs.end())
            return;
        here_ = at - procs.begin();
        nprocs_ = std::ssize(procs);
        const Gdo array = make_gdo({turn.sizes[0], turn.sizes[1]}, turn.type);
        const Part part = make_part({rule(spec_.cuts[0]), rule(spec_.cuts[1])});
        const DRI_Layout layout = spec_.by_columns ? DRI_COL_MAJOR : DRI_ROW_MAJOR;
        if (spec_.size == 0) {
            xfer_ = make_xfer(name, role, make_dist(array, part, make_group(procs)), layout, spec_.nbuffs);
            return;
        }
        int64_t offsets[2] = {}, sizes[2] = {turn.sizes[0], turn.sizes[1]};
        sizes[spec_.dim] = spec_.size;
        Gdo first;
        expect_success(DRI_gdo_subset(array, offsets, sizes, first.out()), "DRI_gdo_subset");
        const Dist dist = make_dist(first, part, make_group(procs));
        expect_success(DRI_xfer_create_strips(name.c_str(), role, array, spec_.dim, dist, layout, spec_.nbuffs,
                                              nullptr, xfer_.out()),
                       "DRI_xfer_create_strips");
    }

    explicit operator bool() const { return static_cast<bool>(xfer_); }
    DRI_Xfer xfer() const { return xfer_; }
    int64_t strips() const { return spec_.size == 0 ? 1 : (turn_.sizes[spec_.dim] + spec_.size - 1) / spec_.size; }

    void fill(void *buffer, int64_t frame) const {
        each(frame, [&](int64_t i, int64_t j, int64_t at, bool) {
            put(static_cast<std::byte *>(buffer) + at * turn_.pitch, value(i, j, frame / strips()));
        });
    }
    // The number of wrong elements of a strip, overlap included.
    int64_t wrong(const void *buffer, int64_t frame) const {
        int64_t n = 0;
        std::byte right[16]{};
        each(frame, [&](int64_t i, int64_t j, int64_t at, bool) {
            put(right, value(i, j, frame / strips()));
            n += std::memcmp(static_cast<const std::byte *>(buffer) + at * turn_.pitch, right,
                             static_cast<size_t>(turn_.pitch)) != 0;
        });
        return n;
    }
    // Bytes of the largest strip that this process holds.
    int64_t bytes() const {
        int64_t max = 0;
        for (int64_t k = 0; k < strips(); ++k) {
            int64_t n = 0;
            each(k, [&](int64_t, int64_t, int64_t, bool) { ++n; });
            max = std::max(max, n * turn_.pitch);
        }
        return max;
    }

    void owned(int64_t strip, int64_t *n) const {
        *n = 0;
        each(strip, [&](int64_t, int64_t, int64_t, bool own) { *n += own; });
    }

private:
    Rule rule(const StripCut &cut) const {
        Rule rule;
        rule.kind = cut.kind == StripCut::Kind::undivided ? DRI_WHOLE
                    : cut.kind == StripCut::Kind::even    ? DRI_BLOCK
                                                          : DRI_BLOCK_CYCLIC;
        rule.nparts = cut.kind == StripCut::Kind::undivided ? 0 : static_cast<int>(nprocs_);
        rule.block = cut.kind == StripCut::Kind::dealt ? cut.block : 0;
        rule.left = rule.right = cut.overlap;
        return rule;
    }

    struct HeldIndex {
        int64_t index;
        bool own;
    };
    // What this process holds along a dimension of n elements, in local order.
    std::vector<HeldIndex> held_indices(const StripCut &cut, int64_t n) const {
        const int64_t p = nprocs_, c = here_;
        const int64_t low = c * (n / p) + std::min(c, n % p), high = low + n / p + (c < n % p ? 1 : 0);
        std::vector<HeldIndex> out;
        for (int64_t i = 0; i < n; ++i) {
            const bool own = cut.kind == StripCut::Kind::undivided ||
                             (cut.kind == StripCut::Kind::even && i >= low && i < high) ||
                             (cut.kind == StripCut::Kind::dealt && i / cut.block % p == c);
            const bool near =
                cut.kind == StripCut::Kind::even && low < high && i >= low - cut.overlap && i < high + cut.overlap;
            if (own || near)
                out.push_back({i, own});
        }
        return out;
    }
    // Calls f(i, j, offset, owned) with indices of the whole array.
    template <class F> void each(int64_t frame, const F &f) const {
        int64_t first[2] = {}, sizes[2] = {turn_.sizes[0], turn_.sizes[1]};
        if (spec_.size != 0) {
            first[spec_.dim] = frame % strips() * spec_.size;
            sizes[spec_.dim] = std::min(spec_.size, turn_.sizes[spec_.dim] - first[spec_.dim]);
        }
        const auto rows = held_indices(spec_.cuts[0], sizes[0]), columns = held_indices(spec_.cuts[1], sizes[1]);
        for (size_t a = 0; a < rows.size(); ++a)
            for (size_t b = 0; b < columns.size(); ++b)
                f(first[0] + rows[a].index, first[1] + columns[b].index,
                  static_cast<int64_t>(spec_.by_columns ? b * rows.size() + a : a * columns.size() + b),
                  rows[a].own && columns[b].own);
    }
    static uint64_t value(int64_t i, int64_t j, int64_t array) {
        const auto n = static_cast<uint64_t>(i * 1000003 + j * 10007 + array * 101 + 1);
        return n * 0x9E3779B97F4A7C15u;
    }
    void put(std::byte *to, uint64_t value) const {
        value ^= value >> 29; // every byte of every type depends on the whole value
        std::memcpy(to, &value, static_cast<size_t>(turn_.pitch));
    }

    StripTurn turn_;
    StripEndpoint spec_;
    int64_t here_ = 0, nprocs_ = 0;
    Xfer xfer_;
};

} // namespace dri::test
