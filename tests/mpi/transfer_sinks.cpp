// Several sink groups of one name, each with its own partition and layout, which do not know of each other.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <optional>

namespace dri_test {
namespace {

constexpr int64_t shared_rows = 14, shared_columns = 9;

int32_t value(int64_t i, int64_t j, int frame) {
    return static_cast<int32_t>(1 + i * shared_columns + j + 1000 * frame);
}

// One side of a name on this process. The part is a box of rows and columns.
struct BoxEndpoint {
    Dist dist;
    Xfer xfer;
    int64_t low[2]{}, high[2]{};
    bool columns_first = false;

    // Calls f(i, j, offset in the buffer) for every element of the part.
    template <class F> void each(F f) const {
        const int64_t n0 = high[0] - low[0], n1 = high[1] - low[1];
        for (int64_t i = 0; i < n0; ++i)
            for (int64_t j = 0; j < n1; ++j)
                f(i + low[0], j + low[1], columns_first ? j * n0 + i : i * n1 + j);
    }
    void fill(int frame) const {
        auto *buffer = buffer_of<int32_t>(xfer);
        each([&](int64_t i, int64_t j, int64_t at) { buffer[at] = value(i, j, frame); });
    }
    void check(int frame) const {
        const auto *buffer = buffer_of<int32_t>(xfer);
        int64_t wrong = 0, seen = 0;
        each([&](int64_t i, int64_t j, int64_t at) {
            ++seen;
            wrong += buffer[at] != value(i, j, frame);
        });
        EXPECT_EQ(wrong, 0) << "of " << seen << " in frame " << frame;
    }
};

struct Box {
    std::vector<int64_t> offset{0, 0}, sizes{shared_rows, shared_columns};
};

// Blocks along `dim` of a matrix, each with `overlap` neighbours on either side as far as the matrix extends.
Part blocks_with_overlap(int dim, int64_t overlap) {
    DRI_Part_dim dims[2]{};
    dims[dim].kind = DRI_BLOCK;
    dims[dim].left = dims[dim].right = overlap;
    Part part;
    expect_success(DRI_part_create_rule(2, dims, part.out()), "DRI_part_create_rule");
    return part;
}

// This process's endpoint of a side over `procs`, cut along `dim`, or nothing if it is not one of them.
std::optional<BoxEndpoint> declare(const std::string &name, DRI_Role role, const std::vector<int> &procs, int dim,
                                   bool columns_first, int nbuffs = 1, const Box &box = {}, int64_t overlap = 0) {
    const int rank = world().rank;
    if (std::find(procs.begin(), procs.end(), rank) == procs.end())
        return std::nullopt;
    const Gdo gdo = make_gdo({shared_rows, shared_columns}, DRI_INT32);
    Gdo part_of_it;
    expect_success(DRI_gdo_subset(gdo, box.offset.data(), box.sizes.data(), part_of_it.out()), "DRI_gdo_subset");
    BoxEndpoint endpoint;
    endpoint.dist = make_dist(part_of_it, blocks_with_overlap(dim, overlap), make_group(procs));
    endpoint.xfer = make_xfer(name, role, endpoint.dist, columns_first ? DRI_COL_MAJOR : DRI_ROW_MAJOR, nbuffs);
    endpoint.columns_first = columns_first;
    DRI_Part_tuple tuples[2];
    expect_success(DRI_dist_get_part(endpoint.dist, rank, tuples), "DRI_dist_get_part");
    for (size_t d = 0; d < 2; ++d) {
        const int64_t wanted = static_cast<int>(d) == dim && tuples[d].left_x < tuples[d].right_x ? overlap : 0;
        endpoint.low[d] = box.offset[d] + std::max<int64_t>(0, tuples[d].left_x - wanted);
        endpoint.high[d] = box.offset[d] + std::min(box.sizes[d], tuples[d].right_x + wanted);
    }
    return endpoint;
}

struct Herd {
    std::string name;
    std::optional<BoxEndpoint> source;
    std::vector<BoxEndpoint> sinks; // the sinks on this process

    void add(std::optional<BoxEndpoint> sink) {
        if (sink)
            sinks.push_back(std::move(*sink));
    }
    void frame_by_name(int f) const {
        if (source)
            source->fill(f);
        if (source || !sinks.empty())
            expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        for (const BoxEndpoint &sink : sinks)
            sink.check(f);
    }
    void run_by_name(int frames) const {
        for (int f = 0; f < frames; ++f)
            frame_by_name(f);
    }
};

TEST(Sinks, TwoGroupsWithoutCommonProcesses) {
    const int n = world().size, half = (n + 1) / 2;
    Herd zebra{"zebra", declare("zebra", DRI_SOURCE, {0}, 0, false), {}};
    zebra.add(declare("zebra", DRI_SINK, ranks(half), 1, true));
    zebra.add(declare("zebra", DRI_SINK, n > half ? ranks(n - half, half) : ranks(1), 0, false));
    commit(make_world());
    zebra.run_by_name(4);
}

TEST(Sinks, ThreeGroupsThatShareProcesses) {
    const int n = world().size;
    std::vector<int> backwards = all_ranks(), last{n - 1};
    std::reverse(backwards.begin(), backwards.end());
    for (const auto &from : {all_ranks(), std::vector<int>{n / 2}, backwards}) {
        Herd zebra{"zebra", declare("zebra", DRI_SOURCE, from, 0, false), {}};
        zebra.add(declare("zebra", DRI_SINK, all_ranks(), 1, true));
        zebra.add(declare("zebra", DRI_SINK, ranks(std::max(1, n - 1)), 0, true));
        zebra.add(declare("zebra", DRI_SINK, last, 1, false, 2, {{2, 1}, {shared_rows - 3, shared_columns - 1}}));
        EXPECT_EQ(zebra.sinks.size(), (n == 1 ? 3u : 2u));
        commit(make_world());
        zebra.run_by_name(3);
    }
}

TEST(Sinks, GroupsThatWantOnlyPartOfTheObject) {
    const int n = world().size;
    Herd lion{"lion", declare("lion", DRI_SOURCE, all_ranks(), 0, false), {}};
    lion.add(declare("lion", DRI_SINK, all_ranks(), 1, false, 1, {{3, 0}, {5, shared_columns}}));
    lion.add(declare("lion", DRI_SINK, ranks(1, n - 1), 0, true, 1, {{shared_rows - 1, 4}, {1, 2}}));
    commit(make_world());
    lion.run_by_name(3);
}

// One source process. One sink group holds columns in column-major order, the other one rows with overlap.
TEST(Sinks, GroupsOfOtherPartitionLayoutAndOverlap) {
    const int n = world().size;
    std::vector<int> others{0};
    if (n > 1)
        others.push_back(n - 1);
    for (int64_t overlap : {1, 3, 20}) {
        Herd zebra{"zebra", declare("zebra", DRI_SOURCE, {n / 2}, 0, false), {}};
        zebra.add(declare("zebra", DRI_SINK, ranks(n - n / 2, n / 2), 1, true));
        zebra.add(declare("zebra", DRI_SINK, others, 0, false, 2, {}, overlap));
        EXPECT_EQ(zebra.sinks.size() == 2, n == 1 || world().rank == n - 1) << "the last process is in both";
        commit(make_world());
        zebra.run_by_name(3);
    }
}

TEST(Sinks, EachEndpointByItsHandle) {
    const int n = world().size, frames = 4;
    // The second sink is on all processes, so some processes hold two sinks.
    Herd ant{"ant", declare("ant", DRI_SOURCE, {0}, 0, false, frames), {}};
    ant.add(declare("ant", DRI_SINK, ranks(1, n - 1), 1, false));
    ant.add(declare("ant", DRI_SINK, all_ranks(), 0, true));
    commit(make_world());
    for (int f = 0; ant.source && f < frames; ++f) {
        ant.source->fill(f);
        // With as many buffers as frames, the source would wait only for its own process's sink.
        if (f < frames - 1)
            expect_success(DRI_do(nullptr, ant.source->xfer), "DRI_do of the source");
    }
    // One sink extracts all its frames before the other one extracts any.
    for (const BoxEndpoint &sink : ant.sinks)
        for (int f = 0; f < frames - 1; ++f) {
            expect_success(DRI_do(nullptr, sink.xfer), "DRI_do of a sink");
            sink.check(f);
        }
    DRI_Xfer_info info;
    for (const BoxEndpoint &sink : ant.sinks) {
        expect_success(DRI_xfer_get_info(sink.xfer, &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.frames, frames - 1);
    }
    // The last frame is executed by name and reaches both sinks.
    if (ant.source)
        ant.source->fill(frames - 1);
    if (ant.source || !ant.sinks.empty())
        expect_success(DRI_do("ant", DRI_XFER_NULL), "DRI_do");
    for (const BoxEndpoint &sink : ant.sinks)
        sink.check(frames - 1);
}

TEST(Sinks, AMissingEndpointOfOneGroupFailsOnAll) {
    const int n = world().size, last = n - 1;
    Herd zebra{"zebra", declare("zebra", DRI_SOURCE, {0}, 0, false), {}};
    zebra.add(declare("zebra", DRI_SINK, all_ranks(), 1, false));
    std::optional<BoxEndpoint> third = declare("zebra", DRI_SINK, all_ranks(), 0, true);
    if (n > 1) {
        if (world().rank == last)
            third->xfer.reset();
        EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_UNMATCHED);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("process " + std::to_string(last) + " has not declared its endpoint of the sink"),
                  std::string::npos)
            << message;
        if (world().rank == last)
            third->xfer = make_xfer("zebra", DRI_SINK, third->dist, DRI_COL_MAJOR);
    }
    zebra.add(std::move(third));
    commit(make_world());
    zebra.run_by_name(2);
}

TEST(Sinks, NoSinkIsAddedAfterTheCommit) {
    Herd zebra{"zebra", declare("zebra", DRI_SOURCE, all_ranks(), 0, false), {}};
    zebra.add(declare("zebra", DRI_SINK, all_ranks(), 1, false));
    DRI_Xfer twice{7};
    EXPECT_EQ(DRI_xfer_create("zebra", DRI_SINK, zebra.sinks[0].dist, DRI_COL_MAJOR, 1, nullptr, &twice),
              DRI_ERR_STATE)
        << "two sinks with the same distribution";
    EXPECT_EQ(twice.id, 0u);
    const Dist more =
        make_dist(make_gdo({shared_rows, shared_columns}, DRI_INT32), make_blocks(2, 0), make_world());
    commit(make_world());
    DRI_Xfer refused{7};
    EXPECT_EQ(DRI_xfer_create("zebra", DRI_SINK, more, DRI_ROW_MAJOR, 1, nullptr, &refused), DRI_ERR_STATE);
    EXPECT_EQ(refused.id, 0u);
    zebra.run_by_name(2);
}

TEST(Sinks, BuffersOfTwoSinksMustNotShareMemory) {
    static std::vector<int32_t> memory(static_cast<size_t>(shared_rows * shared_columns));
    void *const buffers[]{memory.data()};
    const Group all = make_world();
    const Gdo gdo = make_gdo({shared_rows, shared_columns}, DRI_INT32);
    const Dist by_rows = make_dist(gdo, make_blocks(2, 0), all),
               by_columns = make_dist(gdo, make_blocks(2, 1), all);
    const Xfer source = make_xfer("share", DRI_SOURCE, by_rows);
    Xfer first, second;
    expect_success(DRI_xfer_create("share", DRI_SINK, by_rows, DRI_ROW_MAJOR, 1, buffers, first.out()), "first");
    expect_success(DRI_xfer_create("share", DRI_SINK, by_columns, DRI_ROW_MAJOR, 1, buffers, second.out()),
                   "second");
    EXPECT_EQ(DRI_commit(all), DRI_ERR_ARG);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("buffer 0 of the sink and buffer 0 of the sink share memory"), std::string::npos)
        << message;
}

} // namespace
} // namespace dri_test
