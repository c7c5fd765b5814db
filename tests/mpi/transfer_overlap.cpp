// Overlap that wraps if one or two processes hold the whole array, and overlap in a source's own memory.
#include "support/asked.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace dri_test {
namespace {

constexpr int64_t height = 5, breadth = 7;
constexpr float unset = -77;

float element(int64_t i, int64_t j, int frame) { return static_cast<float>(1 + i * breadth + j + 1000 * frame); }

// One element of a part's memory: which array element it must show, if any, and whether the part owns it.
struct ShownElement {
    int64_t at, i, j;
    bool owned, zero;
};

// This process's part of a distribution of rows and columns. What each row shows follows from the definitions.
struct OverlapEndpoint {
    Dist dist;
    Xfer xfer;
    std::vector<ShownElement> shown_elements{};

    OverlapEndpoint(const std::string &name, DRI_Role role, const Asked &asked) {
        const auto at = std::find(asked.procs.begin(), asked.procs.end(), world().rank);
        if (at == asked.procs.end())
            return;
        dist = asked.make();
        xfer = make_xfer(name, role, dist);
        const auto position = static_cast<int>(at - asked.procs.begin());
        const Row along_rows = asked.row(position, 0), along_columns = asked.row(position, 1);
        for (const Shown &i : along_rows)
            for (const Shown &j : along_columns)
                shown_elements.push_back({std::ssize(shown_elements), i.index, j.index, i.owned && j.owned,
                                          i.index == Shown::zeros || j.index == Shown::zeros});
    }

    void fill(int frame) const {
        float *buffer = buffer_of<float>(xfer);
        for (const ShownElement &p : shown_elements)
            buffer[p.at] = p.owned ? element(p.i, p.j, frame) : unset;
    }
    void expect_kept(int frame) const {
        void *buffer = nullptr;
        expect_success(DRI_xfer_get_buffers(xfer, nullptr, &buffer), "DRI_xfer_get_buffers");
        int64_t changed = 0;
        for (const ShownElement &p : shown_elements)
            changed += static_cast<float *>(buffer)[p.at] != (p.owned ? element(p.i, p.j, frame) : unset);
        EXPECT_EQ(changed, 0) << "changed elements of the source";
    }
    void expect_shown(int frame) const {
        const float *buffer = buffer_of<float>(xfer);
        int64_t wrong = 0;
        for (const ShownElement &p : shown_elements)
            wrong += buffer[p.at] != (p.zero ? 0 : element(p.i, p.j, frame));
        EXPECT_EQ(wrong, 0) << "of " << shown_elements.size() << " elements in frame " << frame;
    }
};

Asked matrix(const Cut &along_rows, const Cut &along_columns, const std::vector<int> &procs,
             const std::vector<int> &grid) {
    return {{height, breadth}, {along_rows, along_columns}, procs, grid};
}

// Runs two frames with all ways allowed, then two by messages only. Collective over the world.
void expect_overlap(const Asked &from, const Asked &to) {
    const Group all = make_world();
    for (const bool by_messages : {false, true}) {
        SCOPED_TRACE(by_messages ? "by messages" : "by every way");
        OverlapEndpoint source("overlap", DRI_SOURCE, from), sink("overlap", DRI_SINK, to);
        for (const OverlapEndpoint *endpoint : {&source, &sink})
            if (endpoint->xfer && by_messages)
                expect_success(DRI_xfer_set_attr(endpoint->xfer, DRI_ATTR_WAYS, DRI_WAY_MESSAGE),
                               "DRI_xfer_set_attr");
        commit(all);
        for (int frame = 0; frame < 2; ++frame) {
            if (source.xfer)
                source.fill(frame);
            if (source.xfer || sink.xfer)
                expect_success(DRI_do("overlap", DRI_XFER_NULL), "DRI_do");
            if (source.xfer)
                source.expect_kept(frame);
            if (sink.xfer)
                sink.expect_shown(frame);
        }
    }
}

Cut with_overlap(Cut cut, int64_t left, int64_t right, DRI_Edge edge) {
    cut.left = left;
    cut.right = right;
    cut.left_edge = cut.right_edge = edge;
    return cut;
}

// All processes of the world hold rows, dealt cyclically, and send them to a sink of `procs.size()` processes.
void expect_wrapped(const std::vector<int> &procs, const std::function<std::vector<Cut>(int64_t n)> &cuts_of) {
    const auto parts = static_cast<int>(procs.size());
    const Asked from = matrix(cyclic3, whole, all_ranks(), {world().size, 1});
    const std::vector<Cut> along_rows = cuts_of(height), along_columns = cuts_of(breadth);
    for (size_t k = 0; k < along_rows.size(); ++k)
        for (const auto &[left, right] : {std::pair<int64_t, int64_t>{1, 1}, {0, 3}, {5, 7}, {8, 23}}) {
            SCOPED_TRACE(text_of(along_rows[k]) + " " + std::to_string(left) + ":" + std::to_string(right));
            const Cut cut = with_overlap(along_rows[k], left, right, DRI_WRAP),
                      other = with_overlap(along_columns[k], right, left, DRI_WRAP);
            expect_overlap(from, matrix(cut, with_overlap(whole, right, left, DRI_WRAP), procs, {parts, 1}));
            expect_overlap(from, matrix(whole, other, procs, {1, parts}));
        }
}

TEST(Overlap, WrapsRoundOneProcess) {
    for (const int process : {0, world().size - 1})
        expect_wrapped({process}, [](int64_t n) {
            std::vector<int64_t> backwards;
            for (int64_t i = n; i-- > 0;)
                backwards.push_back(i);
            return std::vector<Cut>{whole,
                                    {DRI_BLOCK, 1},
                                    {DRI_BLOCK_CYCLIC, 1, DRI_BALANCED, 2},
                                    Cut{.kind = DRI_INDICES, .nparts = 1, .lists = {backwards}}};
        });
}

TEST(Overlap, WrapsRoundTwoProcesses) {
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    for (const std::vector<int> &procs : {std::vector<int>{0, 1}, {world().size - 1, 0}})
        expect_wrapped(procs, [](int64_t n) {
            Numbers front{0, n - 1, 2}, back;
            for (int64_t i = n; i-- > 0;)
                if (std::find(front.begin(), front.end(), i) == front.end())
                    back.push_back(i);
            return std::vector<Cut>{{DRI_BLOCK, 2},
                                    {DRI_BLOCK_CYCLIC, 2, DRI_BALANCED, 2},
                                    Cut{.kind = DRI_SIZES, .nparts = 2, .sizes = {1, n - 1}},
                                    Cut{.kind = DRI_SIZES, .nparts = 2, .sizes = {0, n}},
                                    Cut{.kind = DRI_INDICES, .nparts = 2, .lists = {front, back}}};
        });
}

TEST(Overlap, WrapsRoundTwoExactPieces) {
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    const Asked from = matrix(blocks, whole, all_ranks(), {world().size, 1});
    for (const int64_t width : {1, 4, 5, 11}) {
        // The two boxes of an L. The corner outside them is received as overlap.
        Asked to = matrix(with_overlap(whole, 0, 0, DRI_WRAP), with_overlap(whole, 0, 0, DRI_WRAP), {1, 0}, {2});
        to.pieces = {{{width, 0, 5, 0}, {0, 0, 2, width}}, {{1, 3, 5, width}, {width, 2, 7, 1}}};
        expect_overlap(from, to);
    }
}

// The overlap in a source's memory may hold anything: it is not sent, and keeps its contents.
TEST(Overlap, InTheMemoryOfASourceIsSkipped) {
    const int n = world().size;
    const Asked to = matrix(with_overlap(whole, 1, 2, DRI_PAD_ZERO), blocks, all_ranks(), {1, n});
    Cut lists{.kind = DRI_INDICES, .nparts = n, .lists = std::vector<Numbers>(static_cast<size_t>(n))};
    for (int64_t i = height; i-- > 0;)
        lists.lists[static_cast<size_t>(i % n)].push_back(i);
    for (const DRI_Edge edge : {DRI_TRUNCATE, DRI_WRAP, DRI_PAD_ZERO, DRI_PAD_REPLICATE})
        for (const Cut &cut : {blocks, Cut{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 1}, cyclic3, lists})
            for (const auto &[left, right] : {std::pair<int64_t, int64_t>{1, 0}, {2, 3}, {9, 11}}) {
                SCOPED_TRACE(text_of(cut) + " edge " + std::to_string(edge) + " " + std::to_string(left) + ":" +
                             std::to_string(right));
                expect_overlap(matrix(with_overlap(cut, left, right, edge), with_overlap(whole, right, 1, edge),
                                      all_ranks(), {n, 1}),
                               to);
            }
}

TEST(Overlap, InTheMemoryOfASourceOfExactPiecesIsSkipped) {
    const int n = world().size;
    const Asked to = matrix(whole, with_overlap(blocks, 1, 1, DRI_WRAP), all_ranks(), {1, n});
    for (const DRI_Edge edge : {DRI_TRUNCATE, DRI_WRAP, DRI_PAD_ZERO, DRI_PAD_REPLICATE}) {
        Asked from = matrix(with_overlap(whole, 0, 0, edge), with_overlap(whole, 0, 0, edge), all_ranks(), {n});
        for (int p = 0; p < n; ++p)
            from.pieces.push_back({{p + 1, height * p / n, height * (p + 1) / n, 2}, {3, 0, breadth, 9}});
        expect_overlap(from, to);
    }
}

// A subset provides the last elements of the largest possible array. The sink's pieces lie at the array's end, and
// their overlap extends beyond 64-bit indices.
TEST(Overlap, AtTheEndOfTheLargestArray) {
    constexpr int64_t n = std::numeric_limits<int64_t>::max(), length = 60, begin = n - length;
    const int size = world().size, rank = world().rank;
    const Group all = make_world();
    const Gdo gdo = make_gdo({n}, DRI_INT8);
    Gdo last_indices;
    expect_success(DRI_gdo_subset(gdo, &begin, &length, last_indices.out()), "DRI_gdo_subset");
    const Dist in = make_dist(last_indices, make_blocks(1, 0), all);
    const int64_t lo = n - 5 * (rank + 1), hi = rank == 0 ? n : lo + 3;
    for (const auto &[left, right] : {std::pair<int64_t, int64_t>{2, 10}, {4, 1'000'000}, {0, n / 2}, {3, n}}) {
        SCOPED_TRACE(std::to_string(left) + ":" + std::to_string(right));
        const Dist out = make_dist(gdo, make_exact({{left, lo, hi, right}}), all);
        int64_t extent = 0;
        expect_success(DRI_dist_get_extents(out, rank, &extent), "DRI_dist_get_extents");
        const int64_t from = lo - left, to = hi > n - right ? n : hi + right;
        ASSERT_EQ(extent, to - from);
        const Xfer source = make_xfer("end", DRI_SOURCE, in), sink = make_xfer("end", DRI_SINK, out);
        commit(all);
        DRI_Part_tuple own;
        expect_success(DRI_dist_get_part(in, rank, &own), "DRI_dist_get_part");
        for (int64_t i = own.left_x; i < own.right_x; ++i)
            buffer_of<int8_t>(source)[i - own.left_x] = static_cast<int8_t>(i + 1);
        expect_success(DRI_do("end", DRI_XFER_NULL), "DRI_do");
        const int8_t *shown = buffer_of<int8_t>(sink);
        for (int64_t i = from; i < to; ++i)
            EXPECT_EQ(shown[i - from], i < begin ? 0 : i - begin + 1) << "element " << n - i << " from the end";
    }
    EXPECT_LT(5 * size, length) << "the subset contains all owned elements";
}

} // namespace
} // namespace dri_test
