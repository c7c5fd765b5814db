// Corner turns and halo exchanges that one call makes.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <algorithm>

namespace dri::test {
namespace {

double value_at(int64_t i, int64_t j, int64_t k, int frame) {
    return static_cast<double>(((frame * 13 + i) * 100 + j) * 100 + k);
}

// First and last index (behind) of a process's block: the first n % p blocks have one index more.
std::pair<int64_t, int64_t> block_of(int64_t n, int64_t p, int64_t q) {
    const auto first = [&](int64_t at) { return at * (n / p) + std::min(at, n % p); };
    return {first(q), first(q + 1)};
}

// Turns an array of 9 x 5 x 7 numbers over a group. The expected parts are computed from the words of the header.
void expect_turn(const std::vector<int> &procs, int from, int to, const std::vector<int> &order, int nbuffs) {
    const int64_t sizes[3]{9, 5, 7};
    const auto found = std::find(procs.begin(), procs.end(), world().rank);
    if (found == procs.end())
        return;
    const int64_t q = found - procs.begin(), p = std::ssize(procs);
    Layout layout;
    expect_success(DRI_layout_create_packed(3, order.data(), layout.out()), "DRI_layout_create_packed");
    Xfer source, sink;
    expect_success(DRI_turn_create("turn", make_gdo({9, 5, 7}, DRI_DOUBLE), make_group(procs), from, to, layout,
                                   nbuffs, source.out(), sink.out()),
                   "DRI_turn_create");
    const auto range = [&](int cut, int dim) {
        return dim == cut ? block_of(sizes[dim], p, q) : std::pair(int64_t{0}, sizes[dim]);
    };
    for (int frame = 0; frame < 3; ++frame) {
        auto *out = buffer_of<double>(source);
        for (int64_t i = range(from, 0).first; i < range(from, 0).second; ++i)
            for (int64_t j = range(from, 1).first; j < range(from, 1).second; ++j)
                for (int64_t k = range(from, 2).first; k < range(from, 2).second; ++k)
                    *out++ = value_at(i, j, k, frame);
        expect_success(DRI_do("turn", DRI_XFER_NULL), "DRI_do");
        const auto *in = buffer_of<double>(sink);
        int64_t wrong = 0, index[3];
        const auto walk = [&](auto &&self, size_t depth) -> void {
            if (depth == 3) {
                wrong += *in++ != value_at(index[0], index[1], index[2], frame);
                return;
            }
            const int dim = order[depth];
            const auto [first, behind] = range(to, dim);
            for (index[dim] = first; index[dim] < behind; ++index[dim])
                self(self, depth + 1);
        };
        walk(walk, 0);
        EXPECT_EQ(wrong, 0) << "frame " << frame << ", " << from << " to " << to;
    }
}

TEST(Made, TurnsOfAllDimensions) {
    const int size = world().size;
    for (const auto &[from, to] : {std::pair{0, 1}, {1, 0}, {0, 2}, {2, 1}, {1, 1}})
        for (const auto &order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 2, 0}})
            expect_turn(all_ranks(), from, to, order, from == 0 ? 1 : 2);
    std::vector<int> backwards = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    expect_turn(backwards, 0, 2, {2, 1, 0}, 1);
    expect_turn(ranks(size - size / 2, size / 2), 0, 1, {1, 0, 2}, 1);
}

// One row of each neighbour, periodic, and zeros at the edges along the other dimension.
TEST(Made, HalosAreRefreshedInPlace) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const Part part =
        make_part({{.kind = DRI_BLOCK, .left = 2, .right = 1, .left_edge = DRI_WRAP, .right_edge = DRI_WRAP},
                   {.left = 1, .right = 1, .left_edge = DRI_PAD_ZERO, .right_edge = DRI_PAD_ZERO}});
    const int64_t n = 3 * size, columns = 4;
    const Dist dist = make_dist(make_gdo({n, columns}, DRI_DOUBLE), part, all);
    for (const int nbuffs : {1, 2}) {
        Xfer halo;
        expect_success(DRI_halo_create("halo", dist, nbuffs, halo.out()), "DRI_halo_create");
        const DRI_Xfer handle = halo;
        for (int frame = 0; frame < 5; ++frame) {
            auto *const local = buffer_of<double>(handle); // 2 + 3 + 1 rows of 1 + 4 + 1 numbers
            std::fill_n(local, 36, -1.0);
            for (int64_t i = 0; i < 3; ++i)
                for (int64_t j = 0; j < columns; ++j)
                    local[(2 + i) * 6 + 1 + j] = value_at(3 * rank + i, j, 0, frame);
            if (frame == 3) {
                expect_success(DRI_start(nullptr, handle), "DRI_start");
                expect_success(DRI_wait(nullptr, handle), "DRI_wait");
            } else {
                expect_success(frame % 2 ? DRI_do("halo", DRI_XFER_NULL) : DRI_do(nullptr, handle), "DRI_do");
            }
            int64_t wrong = 0;
            for (int64_t i = -2; i < 4; ++i)
                for (int64_t j = -1; j < columns + 1; ++j) {
                    const int64_t row = (3 * rank + i + n) % n;
                    const double expected = j < 0 || j == columns ? 0 : value_at(row, j, 0, frame);
                    wrong += local[(2 + i) * 6 + 1 + j] != expected;
                }
            EXPECT_EQ(wrong, 0) << "frame " << frame;
        }
        // One handle destroys both endpoints, so the name is free again.
        expect_success(halo.reset(), "DRI_xfer_destroy");
        EXPECT_EQ(DRI_do("halo", DRI_XFER_NULL), DRI_ERR_ARG) << "an endpoint is left";
    }
}

// A halo and a turn beside endpoints of the same name that the program has only declared.
TEST(Made, OtherEndpointsStayDeclared) {
    const Group all = make_world();
    const Gdo gdo = make_gdo({2 * world().size, 6});
    const Dist dist = make_dist(gdo, make_blocks(2, 0), all);
    const Xfer half = make_xfer("made", DRI_SOURCE, dist);
    Xfer source, sink, halo;
    expect_success(DRI_turn_create("made", gdo, all, 0, 1, DRI_COL_MAJOR, 2, source.out(), sink.out()),
                   "DRI_turn_create");
    expect_success(DRI_halo_create("made", dist, 1, halo.out()), "DRI_halo_create");
    for (int frame = 0; frame < 3; ++frame) {
        expect_success(DRI_do(nullptr, source), "DRI_do of the source");
        expect_success(DRI_do(nullptr, halo), "DRI_do of the halo");
        expect_success(DRI_do(nullptr, sink), "DRI_do of the sink");
    }
    EXPECT_EQ(DRI_do(nullptr, half), DRI_ERR_STATE);
    const Xfer other_half = make_xfer("made", DRI_SINK, dist);
    commit(all);
    expect_success(DRI_do("made", DRI_XFER_NULL), "DRI_do");
}

class WrongMade : public LastErrs {
protected:
    Gdo gdo_ = make_gdo({12, 5});
    Dist dist_ = make_dist(gdo_, make_blocks(2, 0), world_);

    struct Turn {
        const char *name = "made";
        int from = 0, to = 1, nbuffs = 1;
        DRI_Layout layout = DRI_COL_MAJOR;
        bool has_gdo = true, has_source = true, has_sink = true;
    };
    // The last process makes another call than the others. No handle is set after an error.
    std::function<int()> turns(const Turn &of_last) {
        return [=, this] {
            const Turn mine = last_ ? of_last : Turn();
            DRI_Xfer source{7}, sink{7};
            const int code = DRI_turn_create(mine.name, mine.has_gdo ? gdo_.get() : DRI_Gdo{}, world_, mine.from,
                                             mine.to, mine.layout, mine.nbuffs,
                                             mine.has_source ? &source : nullptr, mine.has_sink ? &sink : nullptr);
            EXPECT_EQ(source.id, mine.has_source ? 0u : 7u);
            EXPECT_EQ(sink.id, mine.has_sink ? 0u : 7u);
            return code;
        };
    }
    std::function<int()> halos(const char *name, int nbuffs, bool has_halo = true) {
        return [=, this] {
            DRI_Xfer halo{7};
            const int code = last_ ? DRI_halo_create(name, dist_, nbuffs, has_halo ? &halo : nullptr)
                                   : DRI_halo_create("made", dist_, 1, &halo);
            EXPECT_EQ(halo.id, has_halo || !last_ ? 0u : 7u);
            return code;
        };
    }
};

TEST_F(WrongMade, TurnsAreRefusedByAll) {
    WrongCalls table{
        {"no name", turns({.name = nullptr}), DRI_ERR_ARG, {"name is NULL"}},
        {"an empty name", turns({.name = ""}), DRI_ERR_ARG, {"name is empty"}},
        {"a third dimension", turns({.from = 2}), DRI_ERR_ARG, {"from_dim is 2", "2 dimensions"}},
        {"dimension -1", turns({.to = -1}), DRI_ERR_ARG, {"to_dim is -1", "2 dimensions"}},
        {"no buffers", turns({.nbuffs = 0}), DRI_ERR_ARG, {"nbuffs is 0"}},
        {"no layout", turns({.layout = {}}), DRI_ERR_HANDLE, {"layout"}},
        {"no array", turns({.has_gdo = false}), DRI_ERR_HANDLE, {"GDO"}},
        {"no output for the source", turns({.has_source = false}), DRI_ERR_ARG, {"source is NULL"}},
        {"no output for the sink", turns({.has_sink = false}), DRI_ERR_ARG, {"sink is NULL"}},
    };
    if (size_ > 1) {
        table.push_back({"another dimension on one process", turns({.from = 1}), DRI_ERR_MISMATCH, {"block"}});
        table.push_back({"another name on one process",
                         turns({.name = "mad"}),
                         DRI_ERR_UNMATCHED,
                         {"'mad'", "'made'", "process " + who_}});
    }
    expect_refused_by_all(table);
    expect_refused({{"no group",
                     [this] {
                         DRI_Xfer source, sink;
                         return DRI_turn_create("made", gdo_, {}, 0, 1, DRI_COL_MAJOR, 1, &source, &sink);
                     },
                     DRI_ERR_HANDLE,
                     {"group"}}});
}

TEST_F(WrongMade, HalosAreRefusedByAll) {
    WrongCalls table{
        {"no name", halos(nullptr, 1), DRI_ERR_ARG, {"name is NULL"}},
        {"no buffers", halos("made", 0), DRI_ERR_ARG, {"nbuffs is 0"}},
        {"no output", halos("made", 1, false), DRI_ERR_ARG, {"halo is NULL"}},
    };
    if (size_ > 1) {
        table.push_back(
            {"another name on one process", halos("mode", 1), DRI_ERR_UNMATCHED, {"'mode'", "process " + who_}});
        table.push_back({"a turn on one process",
                         [this] {
                             DRI_Xfer source, sink;
                             return last_ ? DRI_turn_create("made", gdo_, world_, 0, 1, DRI_COL_MAJOR, 1, &source,
                                                            &sink)
                                          : DRI_halo_create("made", dist_, 1, &source);
                         },
                         DRI_ERR_MISMATCH,
                         {"DRI_turn_create over", "DRI_halo_create over"}});
    }
    expect_refused_by_all(table);
    expect_refused({{"no distribution",
                     [] {
                         DRI_Xfer halo;
                         return DRI_halo_create("made", {}, 1, &halo);
                     },
                     DRI_ERR_HANDLE,
                     {"distribution"}}});
}

} // namespace
} // namespace dri::test
