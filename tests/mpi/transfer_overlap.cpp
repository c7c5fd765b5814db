// Overlap that wraps if one or two processes hold the whole array, and overlap in a source's own memory.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <limits>

namespace dri::test {
namespace {

constexpr int height = 5, breadth = 7;

// Runs two frames with all ways allowed, then two by messages only. Collective over the world.
void expect_overlap(const std::string &from, const std::string &to) {
    for (const char *ways : {"direct", "no-self"})
        expect_transfer(fmt::format("float [{},{}] {} -> {} {}", height, breadth, from, to, ways));
}

// All processes hold rows, dealt cyclically, and send them to a sink of the processes `procs`. cuts: one for rows
// and one for columns.
void expect_wrapped(const std::string &procs, const std::vector<std::pair<std::string, std::string>> &cuts) {
    for (const auto &[rows, columns] : cuts)
        for (const auto &[left, right] : {std::pair{1, 1}, {0, 3}, {5, 7}, {8, 23}}) {
            expect_overlap("cyclic(0,3),* rm",
                           fmt::format("{0}<{1}w:{2}w>,*<{2}w:{1}w> rm over {3}", rows, left, right, procs));
            expect_overlap("cyclic(0,3),* rm",
                           fmt::format("*,{}<{}w:{}w> rm over {}", columns, right, left, procs));
        }
}

TEST(Overlap, WrapsRoundOneProcess) {
    for (const int process : {0, world().size - 1})
        expect_wrapped(std::to_string(process), {{"*", "*"},
                                                 {"block(1)", "block(1)"},
                                                 {"cyclic(1,2)", "cyclic(1,2)"},
                                                 {"idx(4:3:2:1:0)", "idx(6:5:4:3:2:1:0)"}});
}

TEST(Overlap, WrapsRoundTwoProcesses) {
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    for (const std::string &procs : {std::string("0,1"), fmt::format("{},0", world().size - 1)})
        expect_wrapped(procs, {{"block(2)", "block(2)"},
                               {"cyclic(2,2)", "cyclic(2,2)"},
                               {"sizes(1:4)", "sizes(1:6)"},
                               {"sizes(0:5)", "sizes(0:7)"},
                               {"idx(0:4:2|3:1)", "idx(0:6:2|5:4:3:1)"}});
}

TEST(Overlap, WrapsRoundTwoExactPieces) {
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    // The two boxes of an L. The corner outside them is received as overlap.
    for (const int width : {1, 4, 5, 11})
        expect_overlap("block,* rm",
                       fmt::format("{{0+5<{0}w:0w>,0+2<0w:{0}w>|3+2<1w:{0}w>,2+5<{0}w:1w>}} rm over 1,0", width));
}

// The overlap in a source's memory may hold anything: it is not sent, and keeps its contents.
TEST(Overlap, InTheMemoryOfASourceIsSkipped) {
    std::vector<std::string> lists(static_cast<size_t>(world().size));
    for (int i = height; i-- > 0;) {
        std::string &list = lists[static_cast<size_t>(i % world().size)];
        list += (list.empty() ? "" : ":") + std::to_string(i);
    }
    const std::string listed = fmt::format("idx({})", fmt::join(lists, "|"));
    for (const char *edge : {"", "w", "z", "r"})
        for (const std::string &cut :
             {std::string("block"), std::string("cyclic(0,1)"), std::string("cyclic(0,3)"), listed})
            for (const auto &[left, right] : {std::pair{1, 0}, {2, 3}, {9, 11}})
                expect_overlap(fmt::format("{0}<{1}{3}:{2}{3}>,*<{2}{3}:1{3}> rm", cut, left, right, edge),
                               "*<1z:2z>,block rm");
}

TEST(Overlap, InTheMemoryOfASourceOfExactPiecesIsSkipped) {
    const int n = world().size;
    for (const char *edge : {"", "w", "z", "r"}) {
        std::vector<std::string> pieces;
        for (int p = 0; p < n; ++p) {
            const int low = height * p / n, high = height * (p + 1) / n;
            pieces.push_back(fmt::format("{}+{}<{}{e}:2{e}>,0+{}<3{e}:9{e}>", low, high - low, p + 1, breadth,
                                         fmt::arg("e", edge)));
        }
        expect_overlap(fmt::format("{{{}}} rm", fmt::join(pieces, "|")), "*,block<1w:1w> rm");
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
} // namespace dri::test
