// Checks how little memory plans hold, that DRI_Memory and DRI_Xfer_info tell it, and that a query takes no more
// than the commit.
#include "support/allocation_counter.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace dri::test {
namespace {

class Plans : public testing::Test {
protected:
    void SetUp() override {
        if (sanitized)
            GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    }
};

// What a commit of a transfer of floats holds on this process, from `new` alone: buffers and staging come from
// elsewhere.
struct Held {
    int64_t bytes = 0, peak = 0;
    int64_t query_peak = 0;
    int64_t messages = 0; // sends and receives of a frame
    int64_t reported = 0; // by both endpoints
};

// Commits a transfer over messages alone, after a query if `asks`. A query leaves in the distributions what later
// plans use, too. A process without a distribution has no endpoint of that side.
Held held_by(const std::string &name, const Dist &from, const Dist &to, int64_t message_bytes, bool asks = true,
             int buffers = 1) {
    const Group all = make_world();
    std::vector<Xfer> xfers;
    if (from)
        xfers.push_back(make_xfer(name, DRI_SOURCE, from, DRI_ROW_MAJOR, buffers));
    if (to)
        xfers.push_back(make_xfer(name, DRI_SINK, to));
    std::vector<DRI_Xfer> endpoints(xfers.begin(), xfers.end());
    for (const DRI_Xfer x : endpoints) {
        expect_success(DRI_xfer_set_attr(x, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
        if (message_bytes > 0)
            expect_success(DRI_xfer_set_attr(x, DRI_ATTR_MESSAGE_BYTES, message_bytes), "DRI_xfer_set_attr");
    }
    std::vector<DRI_Memory> asked(endpoints.size());
    Held held;
    const int64_t before = bytes_from_new();
    forget_peak();
    if (asks)
        expect_success(DRI_xfer_query(all, static_cast<int>(endpoints.size()), endpoints.data(), asked.data()),
                       "DRI_xfer_query");
    held.query_peak = peak_from_new() - before;
    // What the distributions keep for later plans counts for the commit, too.
    forget_peak();
    commit(all);
    held.bytes = bytes_from_new() - before;
    held.peak = peak_from_new() - before;
    if (!endpoints.empty()) {
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
    }
    for (size_t i = 0; i < endpoints.size(); ++i) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(endpoints[i], &info), "DRI_xfer_get_info");
        held.messages += info.messages;
        held.reported += info.plan_bytes;
        if (asks) {
            EXPECT_EQ(asked[i].plan_bytes, info.plan_bytes);
        }
    }
    barrier();
    return held;
}

Dist one_dimension(int64_t n, const Rule &rule) {
    return make_dist(make_gdo({n}, DRI_FLOAT), make_part({rule}), make_world());
}

// The numbers 0 to n - 1 in an order without a pattern.
std::vector<int64_t> shuffled(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), int64_t{0});
    std::shuffle(all.begin(), all.end(), std::mt19937_64(7));
    return all;
}

Rule indices_of(const std::vector<int64_t> &list, int64_t begin, int64_t end) {
    return {.kind = DRI_INDICES, .indices = list.data() + begin, .nindices = end - begin};
}

constexpr int64_t few_bytes = int64_t{128} << 10;  // of a commit that plans next to nothing
constexpr int64_t copies_bytes = int64_t{8} << 10; // of copies that messages share
constexpr int64_t answer_bytes = int64_t{4} << 10; // of what a query agrees on and answers

// workspace: what else may come from `new`.
void expect_told(const Held &held, int64_t workspace = 0) {
    EXPECT_LE(static_cast<double>(held.bytes - workspace - few_bytes), 1.1 * static_cast<double>(held.reported));
    EXPECT_LE(static_cast<double>(held.reported - few_bytes), 1.1 * static_cast<double>(held.bytes));
}

// 64 elements of a message are strided at the source and dense at the sink. All messages are the same except
// for their offsets.
TEST_F(Plans, ShortMessagesHoldFewBytes) {
    constexpr int64_t n = 1 << 20, message_bytes = 256;
    const Rule by_one = {.kind = DRI_BLOCK_CYCLIC, .block = 1}, whole = {.kind = DRI_BLOCK};
    const Dist cyclic = one_dimension(n, by_one), block = one_dimension(n, whole);
    const Dist few_cyclic = one_dimension(64, by_one), few_block = one_dimension(64, whole);
    for (const int buffers : {1, 6, 12}) {
        const Held few = held_by("few messages", few_cyclic, few_block, message_bytes, false, buffers);
        const Held held = held_by("short messages", cyclic, block, message_bytes, true, buffers);
        const Held alone = held_by("short messages alone", cyclic, block, message_bytes, false, buffers);
        if (world().size > 1) {
            EXPECT_GE(held.messages, n * 4 / message_bytes / world().size);
        }
        const int64_t pairs = (held.messages - few.messages) / 2;
        EXPECT_LE(held.bytes - few.bytes, pairs * (256 + 16 * std::max(buffers - 6, 0)) + copies_bytes)
            << "for a send and its receive, with " << buffers << " buffers";
        EXPECT_LE(held.query_peak, alone.peak + answer_bytes);
        expect_told(held);
    }
}

// No message of a list without a pattern is the same copies as another one, so messages do not become as short as
// the attribute says.
TEST_F(Plans, ShortMessagesOfListsHoldFewBytes) {
    constexpr int64_t n = 1 << 18, message_bytes = 256;
    const std::vector<int64_t> all = shuffled(n);
    const auto [rank, size] = world();
    const int64_t begin = n * rank / size, end = n * (rank + 1) / size;
    const Dist list = one_dimension(n, indices_of(all, begin, end)), block = one_dimension(n, {.kind = DRI_BLOCK});
    const Held held = held_by("a list in short messages", list, block, message_bytes);
    EXPECT_LE(held.bytes, 24 * n + few_bytes);
}

TEST_F(Plans, ListsOfIndicesHoldFewBytes) {
    constexpr int64_t n = 1 << 18;
    const std::vector<int64_t> all = shuffled(n);
    const auto [rank, size] = world();
    const int64_t begin = n * rank / size, end = n * (rank + 1) / size, before = bytes_from_new();
    const Rule indices = indices_of(all, begin, end);
    const Dist list = one_dimension(n, indices), block = one_dimension(n, {.kind = DRI_BLOCK});
    EXPECT_LE(bytes_from_new() - before, 48 * n) << "the lists themselves, and their wire form";
    const int64_t max_peak = 48 * n;
    for (const bool at_source : {true, false}) {
        const Dist &from = at_source ? list : block, &to = at_source ? block : list;
        const Held asked = held_by(at_source ? "a list" : "a list at the sink", from, to, 0);
        EXPECT_LE(asked.bytes, 24 * n + few_bytes);
        if (at_source) // later the list is sorted already
            expect_told(asked);
        EXPECT_LE(asked.query_peak, max_peak);
        EXPECT_LE(asked.peak, max_peak);
        // A commit alone, of a distribution that no plan has used before.
        const Dist fresh = one_dimension(n, indices);
        const Held alone = held_by(at_source ? "alone" : "alone at the sink", at_source ? fresh : block,
                                   at_source ? block : fresh, 0, false);
        EXPECT_LE(asked.query_peak, alone.peak + answer_bytes) << "a query takes no more than the commit";
    }
}

// The process of the sink receives the list. What it holds for the commit alone counts for the peak, too.
TEST_F(Plans, ListsOfOtherProcessesHoldFewBytes) {
    if (world().size < 2)
        GTEST_SKIP() << "needs a process that has no part of the list";
    constexpr int64_t n = 1 << 18;
    const std::vector<int64_t> all = shuffled(n);
    const int rank = world().rank;
    const Gdo gdo = make_gdo({n}, DRI_FLOAT);
    for (const bool at_source : {true, false}) {
        Dist list, block;
        if (rank == 0)
            list = make_dist(gdo, make_part({indices_of(all, 0, n)}), make_group({0}));
        if (rank == 1)
            block = make_dist(gdo, make_part({Rule{.kind = DRI_BLOCK}}), make_group({1}));
        const std::string name = at_source ? "a list of another" : "a list of another at the sink";
        const Dist &from = at_source ? list : block, &to = at_source ? block : list;
        const Held asked = held_by(name, from, to, 0), alone = held_by(name + " alone", from, to, 0, false);
        for (const Held &held : {asked, alone}) {
            EXPECT_LE(held.bytes, 24 * n + few_bytes) << name;
            EXPECT_LE(held.peak, 48 * n) << name;
        }
        EXPECT_LE(asked.query_peak, 48 * n) << name;
        EXPECT_LE(asked.query_peak, alone.peak + answer_bytes) << name;
    }
}

// The shortest messages, of which a query tells the memory, have four elements each.
TEST_F(Plans, QueriesOfLongElementsTakeNoMoreThanTheCommit) {
    constexpr int64_t n = 1 << 16;
    const std::vector<int64_t> all = shuffled(n);
    const auto [rank, size] = world();
    Type element;
    expect_success(DRI_type_create(1024, 8, element.out()), "DRI_type_create");
    const Gdo gdo = make_gdo({n}, element);
    // Distributions that no plan has used before: they keep what plans need.
    const auto check = [](const std::string &name, const auto &make_list, const auto &make_block) {
        const Held asked = held_by(name, make_list(), make_block(), 0),
                   alone = held_by(name + " alone", make_list(), make_block(), 0, false);
        EXPECT_LE(asked.query_peak, alone.peak + answer_bytes) << name;
        EXPECT_LE(asked.query_peak, 48 * n) << name;
    };
    const Group everybody = make_world();
    check(
        "known to all",
        [&] {
            const Rule mine = indices_of(all, n * rank / size, n * (rank + 1) / size);
            return make_dist(gdo, make_part({mine}), everybody);
        },
        [&] { return make_dist(gdo, make_part({Rule{.kind = DRI_BLOCK}}), everybody); });
    if (size < 2)
        return;
    check(
        "a sink alone",
        [&] { return rank == 0 ? make_dist(gdo, make_part({indices_of(all, 0, n)}), make_group({0})) : Dist(); },
        [&] {
            return rank == 1 ? make_dist(gdo, make_part({Rule{.kind = DRI_BLOCK}}), make_group({1})) : Dist();
        });
}

// Both distributions keep their sorted lists for later plans.
TEST_F(Plans, FromListToListHoldFewBytes) {
    constexpr int64_t n = 1 << 18;
    const std::vector<int64_t> all = shuffled(n), other(all.rbegin(), all.rend());
    const auto [rank, size] = world();
    const int64_t begin = n * rank / size, end = n * (rank + 1) / size;
    const Rule indices = indices_of(all, begin, end), turned = indices_of(other, begin, end);
    const Held to_list = held_by("a list to a list", one_dimension(n, indices), one_dimension(n, turned), 0);
    expect_told(to_list);
    EXPECT_LE(to_list.bytes, 40 * n + few_bytes) << "both distributions keep 16 bytes an index";
    const Held alone = held_by("alone", one_dimension(n, indices), one_dimension(n, turned), 0, false);
    EXPECT_LE(to_list.query_peak, alone.peak + answer_bytes);
    for (const int64_t peak : {to_list.query_peak, to_list.peak, alone.peak})
        EXPECT_LE(peak, 48 * n);
}

// Commits a corner turn in place of height x width floats, in which a part is put in order, and moves a frame.
// turns: the layout turns with the cut.
Held held_in_place(int64_t height, int64_t width, bool turns, int64_t message_bytes) {
    const Group all = make_world();
    const int size = world().size;
    const Gdo gdo = make_gdo({height, width}, DRI_FLOAT);
    const Dist columns = make_dist(gdo, make_blocks(2, 1), all), rows = make_dist(gdo, make_blocks(2, 0), all);
    std::vector<float> part(static_cast<size_t>((height + size) * (width + size) / size));
    void *buffer = part.data();
    Xfer source, sink;
    expect_success(DRI_xfer_create("in place", DRI_SOURCE, columns, DRI_ROW_MAJOR, 1, &buffer, source.out()),
                   "DRI_xfer_create");
    expect_success(
        DRI_xfer_create("in place", DRI_SINK, rows, turns ? DRI_COL_MAJOR : DRI_ROW_MAJOR, 1, &buffer, sink.out()),
        "DRI_xfer_create");
    for (const DRI_Xfer x : {DRI_Xfer(source), DRI_Xfer(sink)})
        for (const auto &[attribute, value] :
             {std::pair<DRI_Attr, int64_t>{DRI_ATTR_IN_PLACE, DRI_IN_PLACE_COMPACT},
              {DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE},
              {DRI_ATTR_MESSAGE_BYTES, message_bytes}})
            expect_success(DRI_xfer_set_attr(x, attribute, value), "DRI_xfer_set_attr");
    Held held;
    const int64_t before = bytes_from_new();
    commit(all);
    held.bytes = bytes_from_new() - before;
    expect_success(DRI_do("in place", DRI_XFER_NULL), "DRI_do");
    for (const DRI_Xfer x : {DRI_Xfer(source), DRI_Xfer(sink)}) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(x, &info), "DRI_xfer_get_info");
        held.messages += info.messages;
        held.reported += info.plan_bytes;
    }
    barrier();
    return held;
}

// In one layout the pieces of a part are joined: at most half of the rows. Otherwise a message may have one.
TEST_F(Plans, InPlaceHoldFewBytes) {
    for (const auto &[height, width] : {std::pair<int64_t, int64_t>{1000, 1000}, {1001, 700}, {700, 1001}})
        for (const bool turns : {false, true})
            for (const int64_t message_bytes : {256, 1024, 65536}) {
                SCOPED_TRACE(fmt::format("{} x {}, {}, messages of {} bytes", height, width,
                                         turns ? "turned" : "one layout", message_bytes));
                const Held held = held_in_place(height, width, turns, message_bytes);
                // Numbers of blocks of 64 bytes, before the exchange and after it: they count as workspace.
                const int64_t numbers = 2 * 4 * height * width * 4 / 64 / world().size;
                const int64_t pairs = held.messages / 2; // a send and its receive
                const int64_t pieces = turns ? pairs + height / 2 : height / 2;
                EXPECT_LE(held.bytes, 256 * pairs + 512 * pieces + few_bytes + numbers);
                expect_told(held, numbers);
            }
}

// Frames of messages under way are bounded, so buffers cost little more than themselves.
TEST_F(Plans, OfManyBuffersHoldFewBytes) {
    const Dist block = one_dimension(64, {.kind = DRI_BLOCK}),
               cyclic = one_dimension(64, {.kind = DRI_BLOCK_CYCLIC, .block = 1});
    const Held held = held_by("many buffers", block, cyclic, 0, true, DRI_MAX_BUFFERS);
    const Held one = held_by("one buffer", block, cyclic, 0);
    EXPECT_LE(held.bytes - one.bytes, int64_t{256} * DRI_MAX_BUFFERS);
    EXPECT_LE(held.peak - one.peak, int64_t{256} * DRI_MAX_BUFFERS);
}

// A sink that reads the user's buffers of other processes where they lie copies by tiles. No other memory is
// aligned here: the buffers are the user's, and no message is sent. Without a query and without limits, a process
// finds out how it reads them when the memory handles arrive.
TEST(Workspace, TilesTakeWhatIsTold) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    constexpr int64_t rows = 64, columns = 4096;
    const Group all = make_world();
    const Gdo gdo = make_gdo({rows, columns}, DRI_INT64);
    const Dist from = make_dist(gdo, make_blocks(2, 0), all), to = make_dist(gdo, make_blocks(2, 1), all);
    std::vector<int64_t> given(rows * columns), filled(rows * columns);
    int64_t all_tiles = 0;
    for (const int threads : {1, 2})
        for (const bool asks : {false, true})
            for (const bool limited : {false, true}) {
                const std::string what =
                    std::to_string(threads) + " threads" + (asks ? ", asks" : "") + (limited ? ", limited" : "");
                const auto declare = [&](DRI_Role role, const Dist &dist, DRI_Layout layout, void *buffer) {
                    Xfer xfer;
                    expect_success(DRI_xfer_create("tiles", role, dist, layout, 1, &buffer, xfer.out()),
                                   "DRI_xfer_create");
                    return xfer;
                };
                const Xfer source = declare(DRI_SOURCE, from, DRI_ROW_MAJOR, given.data()),
                           sink = declare(DRI_SINK, to, DRI_COL_MAJOR, filled.data());
                expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
                DRI_Memory told{};
                if (asks || limited) {
                    const DRI_Xfer asked = sink;
                    expect_success(DRI_xfer_query(all, 1, &asked, &told), "DRI_xfer_query");
                    EXPECT_EQ(told.least_bytes, told.tile_bytes) << what;
                }
                if (limited)
                    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WORKSPACE_LIMIT, told.tile_bytes),
                                   "DRI_xfer_set_attr");
                begin_counting();
                commit(all);
                end_counting();
                const int64_t taken = aligned_bytes();
                DRI_Xfer_info info{};
                expect_success(DRI_xfer_get_info(sink, &info), "DRI_xfer_get_info");
                EXPECT_EQ(info.workspace_bytes, taken) << what;
                if (asks || limited) {
                    EXPECT_EQ(told.tile_bytes, taken) << what;
                    EXPECT_EQ(told.message_bytes + told.copy_bytes, 0) << what;
                }
                all_tiles += taken;
                expect_success(DRI_do("tiles", DRI_XFER_NULL), "DRI_do");
                barrier();
            }
    EXPECT_EQ(all_tiles > 0, world().size > 1);
}

} // namespace
} // namespace dri::test
