// Source and sink in one buffer with workspace limits. The smallest limits that a query reports are enough on all
// processes, and one byte less on any endpoint is refused on all. Without limits the workspace is what the pages
// say.
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dri::test {
namespace {

int64_t max_of(int64_t mine) {
    int64_t max = 0;
    MPI_Allreduce(&mine, &max, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return max;
}

using Both = std::array<int64_t, 2>; // of the source and of the sink

std::array<DRI_Memory, 2> reported_for(DRI_Group all, const InPlaceRun &run) {
    const DRI_Xfer endpoints[]{run.source(), run.sink()};
    std::array<DRI_Memory, 2> reported{};
    expect_success(DRI_xfer_query(all, 2, endpoints, reported.data()), "DRI_xfer_query");
    return reported;
}

void limit_both(const InPlaceRun &run, const Both &limits) {
    const DRI_Xfer endpoints[]{run.source(), run.sink()};
    for (size_t e = 0; e < 2; ++e)
        expect_success(DRI_xfer_set_attr(endpoints[e], DRI_ATTR_WORKSPACE_LIMIT, limits[e]), "DRI_xfer_set_attr");
}

// The first parts hold `few` of n indices each, the last part holds the rest.
std::string lopsided(int64_t n, int64_t few) {
    std::string sizes;
    for (int p = 1; p < world().size; ++p)
        sizes += fmt::format("{}:", few);
    return fmt::format("sizes({}{})", sizes, n - few * (world().size - 1));
}

// In some cases some processes need less workspace with parts as they lie, and others with parts put in order.
std::vector<InPlaceCase> limited_cases() {
    const std::string few_rows = lopsided(310, 3), few_columns = lopsided(200, 5);
    return in_both_modes({
        "8B/8 [180,180] block,* rm -> *,block cm direct",
        "8B/8 [91,300] block,* rm -> *,block cm direct",
        fmt::format("8B/8 [310,200] {},* rm -> *,block cm direct", few_rows),
        fmt::format("8B/8 [310,200] {},* rm -> *,{} rm direct", few_rows, few_columns),
        fmt::format("8B/8 [310,200] *,block cm -> {},* rm direct", few_rows),
        fmt::format("8B/8 [29,17] {},* rm -> *,block cm direct", lopsided(29, 1)),
        "8B/8 [42,20,33] *,block,* rm -> *,*,cyclic(0,3) rm direct",
    });
}

// Commits, as all others do. The error names the endpoint whose limit is too small, and the smallest one that is
// enough.
void expect_refusal(DRI_Group all, const std::string &side, int64_t limit) {
    EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT) << side << ": " << DRI_error_message();
    const std::string message = DRI_error_message();
    for (const std::string &word : {side, std::to_string(limit) + " bytes", std::to_string(limit - 1)})
        EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
}

TEST(InPlaceLimits, TheMinimumIsEnoughAndAByteLessIsRefusedByAll) {
    const auto [rank, size] = world();
    const Group all = make_world();
    for (const InPlaceCase &c : limited_cases()) {
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        const auto reported = reported_for(all, run);
        const Both min{reported[0].least_bytes, reported[1].least_bytes};
        limit_both(run, min);
        for (const int process : {0, size - 1})
            for (size_t e = 0; e < 2; ++e) {
                const int64_t its = sum_of(process == rank ? min[e] : 0);
                if (its == 0)
                    continue;
                Both less = min;
                less[e] -= process == rank;
                limit_both(run, less);
                expect_refusal(all, std::string(e ? "sink" : "source") + " of process " + std::to_string(process),
                               its);
                limit_both(run, min);
            }
        const auto again = reported_for(all, run);
        EXPECT_EQ(again[0].least_bytes, min[0]) << "sufficient limits do not change the smallest ones";
        EXPECT_EQ(again[1].least_bytes, min[1]);
        ASSERT_EQ(DRI_commit(all), DRI_SUCCESS) << DRI_error_message();
        const Workspace used = workspace_of(run);
        EXPECT_LE(used.source, min[0]);
        EXPECT_LE(used.sink, min[1]);
        for (int f = 0; f < 3; ++f)
            run.frame();
    }
}

// Raising limits as the errors say leads to a commit, and each limit is raised at most once.
TEST(InPlaceLimits, ErrorsNameLimitsThatAreEnough) {
    const auto [rank, size] = world();
    const Group all = make_world();
    int64_t refusals = 0;
    unsigned seed = 5;
    const int draws = size <= 4 ? 2 : 1; // more processes have more limits to raise in each draw
    for (const InPlaceCase &c : limited_cases())
        for (int i = 0; i < draws; ++i) {
            SCOPED_TRACE(text_of(c));
            InPlaceRun run(c);
            const auto reported = reported_for(all, run);
            Both limits{};
            for (int p = 0; p < size; ++p)
                for (size_t e = 0; e < 2; ++e) { // all processes draw the same numbers
                    seed = seed * 1103515245u + 12345u;
                    if (p == rank)
                        limits[e] = reported[e].least_bytes * ((seed >> 16) % 160) / 100;
                }
            limit_both(run, limits);
            int steps = 0, code = DRI_commit(all);
            for (; code == DRI_ERR_LIMIT && steps < 2 * size; ++steps, ++refusals) {
                const std::string message = DRI_error_message();
                const size_t end = message.find("the s"), process = message.find("of process ", end),
                             min = message.find("needs at least ");
                ASSERT_TRUE(end < process && process < min && min != std::string::npos) << message;
                if (std::stoi(message.substr(process + 11)) == rank)
                    limits[message.compare(end, 8, "the sink") == 0] = std::stoll(message.substr(min + 15));
                limit_both(run, limits);
                code = DRI_commit(all);
            }
            ASSERT_EQ(code, DRI_SUCCESS) << steps << " limits raised: " << DRI_error_message();
            const Workspace used = workspace_of(run);
            EXPECT_LE(used.source, limits[0]);
            EXPECT_LE(used.sink, limits[1]);
            run.frame();
            run.frame();
        }
    EXPECT_GT(refusals, 0);
}

// Limits of other endpoints change nothing: the method is that of the attribute.
TEST(InPlaceLimits, TheMinimumOfAnEndpointIsItsOwn) {
    const auto [rank, size] = world();
    const Group all = make_world();
    for (const InPlaceCase &c : limited_cases()) {
        SCOPED_TRACE(text_of(c));
        const InPlaceRun run(c);
        const auto reported = reported_for(all, run);
        if (rank == size - 1)
            limit_both(run, {reported[0].least_bytes, reported[1].least_bytes});
        const auto again = reported_for(all, run);
        for (size_t e = 0; e < 2; ++e) {
            EXPECT_EQ(again[e].least_bytes, reported[e].least_bytes);
            if (rank != size - 1) {
                EXPECT_EQ(again[e].workspace_bytes, reported[e].workspace_bytes);
            }
        }
        limit_both(run, {int64_t{1} << 60, int64_t{1} << 60});
    }
}

// Compares the workspace without limits with what the pages say: N / P, or less than is said for other shapes.
void expect_as_documented(const InPlaceCase &c, bool about_equal) {
    SCOPED_TRACE(text_of(c));
    const int64_t size = world().size;
    InPlaceRun run(c);
    commit(make_world());
    const Workspace used = workspace_of(run);
    const int64_t largest = max_of(run.bytes()), mark = largest / size;
    run.frame();
    if (c.mode == DRI_IN_PLACE) {
        EXPECT_EQ(max_of(puts_in_order(run.source())), 0);
    }
    DRI_Xfer_info source{}, sink{};
    expect_success(DRI_xfer_get_info(run.source(), &source), "DRI_xfer_get_info");
    expect_success(DRI_xfer_get_info(run.sink(), &sink), "DRI_xfer_get_info");
    if (used.both() <= mark)
        return;
    if (c.mode == DRI_IN_PLACE_COMPACT && about_equal) {
        const double small = 20 * std::sqrt(static_cast<double>(largest * size));
        // Two messages of N / (8 P). Parts that differ by a block of a cyclic cut may need two more.
        const bool differ = c.line.find("cyclic") != std::string::npos;
        EXPECT_LE(static_cast<double>(used.both()), small + static_cast<double>(mark) / (differ ? 2 : 4) + 1024)
            << "a part is too small for N / P";
        return;
    }
    const int64_t blocks_and_slots = c.mode == DRI_IN_PLACE_COMPACT ? 64 * (source.messages + 1) : 0;
    EXPECT_LE(source.workspace_bytes, source.bytes_message + 63 * source.messages + blocks_and_slots);
    EXPECT_LE(sink.workspace_bytes, std::max(mark / 2, sink.bytes_message + 63 * sink.messages));
}

TEST(InPlaceLimits, WorkspaceIsWithinTheDocumentedBound) {
    for (const InPlaceCase &c : limited_cases())
        expect_as_documented(c, false);
    std::vector<std::string> lines;
    for (const char *sizes : {"[255,257]", "[90,800]", "[7,3000]", "[1201,70]", "[3,2]"})
        for (const char *layout : {"rm", "cm"}) {
            lines.push_back(fmt::format("8B/8 {} block,* rm -> *,block {} direct", sizes, layout));
            lines.push_back(fmt::format("3B {} *,cyclic(0,3) {} -> block,* rm direct", sizes, layout));
        }
    for (const InPlaceCase &c : in_both_modes(lines))
        expect_as_documented(c, true);
}

// Small parts beside large ones.
TEST(InPlaceLimits, PartsMayDiffer) {
    std::vector<std::string> lines;
    for (const int few : {1, 2, 5, 20})
        for (const int columns : {40, 200, 700})
            lines.push_back(fmt::format("8B/8 [310,{}] {},* rm -> {},* rm direct", columns, lopsided(310, few),
                                        lopsided(310, few + 3)));
    for (const InPlaceCase &c : in_both_modes(lines))
        expect_as_documented(c, false);
}

} // namespace
} // namespace dri::test
