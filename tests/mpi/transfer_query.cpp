// The memory of a transfer is what the query before the commit reports.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

std::vector<DRI_Memory> query(DRI_Group scope, const std::vector<DRI_Xfer> endpoints) {
    DRI_Memory unreported;
    for (int64_t *word = &unreported.workspace_bytes; word != &unreported.workspace_bytes + sizeof unreported / 8;
         ++word)
        *word = -7;
    std::vector<DRI_Memory> memory(endpoints.size(), unreported);
    expect_success(DRI_xfer_query(scope, static_cast<int>(endpoints.size()), endpoints.data(), memory.data()),
                   "DRI_xfer_query");
    return memory;
}

void expect_reported_right(const DRI_Memory &reported, DRI_Xfer endpoint, int library_buffers,
                           const std::string &what) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
    EXPECT_EQ(reported.workspace_bytes, info.workspace_bytes) << what;
    EXPECT_EQ(reported.workspace_bytes, reported.message_bytes + reported.copy_bytes + reported.tile_bytes)
        << what;
    EXPECT_EQ(reported.buffer_bytes, info.buffer_bytes * library_buffers) << what;
    if (info.peers == 0) {
        EXPECT_EQ(reported.workspace_bytes, 0) << what;
    }
    for (int64_t word : reported.reserved)
        EXPECT_EQ(word, 0);
}

int library_buffers(const SideSpec &side) {
    return side.memory == Memory::library ? side.buffers : side.memory == Memory::mixed ? side.buffers / 2 : 0;
}

// All kinds of memory on both sides, by messages and direct, with few and many messages.
TEST(Query, ReportsTheMemoryThatTheCommitUses) {
    const auto [rank, size] = world();
    const Group all = make_world();
    long long message_bytes = 0;
    int number = 0;
    for (const char *way : {" direct", ""})
        for (const char *memory : {"library", "heap"})
            for (const char *limit : {"", " limit=100", " limit=3000"})
                for (const int nbuffs : {1, 3}) {
                    const std::string words = std::string(way) + limit;
                    for (const std::string &line :
                         {fmt::format("float [60,70] block,* rm -> *,block 10 buffers={},2 memory={},library{}",
                                      nbuffs, memory, words),
                          fmt::format(
                              "6B/8 [60,70] cyclic(0,3),* rm over 0 -> *,block rm over {} buffers={} memory={}{}",
                              size - 1, nbuffs, memory, words)}) {
                        TransferRun run("asked " + std::to_string(number++), line);
                        run.declare();
                        std::vector<DRI_Xfer> mine;
                        if (run.has_sink())
                            mine.push_back(run.sink());
                        if (run.has_source())
                            mine.push_back(run.source());
                        const auto reported = query(all, mine);
                        // Only the first process passes endpoints to the second query.
                        const auto again = query(all, rank == 0 ? mine : std::vector<DRI_Xfer>{});
                        for (size_t i = 0; i < again.size(); ++i)
                            EXPECT_EQ(again[i].workspace_bytes, reported[i].workspace_bytes);
                        commit(all);
                        run.bind();
                        size_t at = 0;
                        if (run.has_sink())
                            expect_reported_right(reported[at++], run.sink(), library_buffers(run.transfer().sink),
                                                  line);
                        if (run.has_source())
                            expect_reported_right(reported[at++], run.source(),
                                                  library_buffers(run.transfer().source), line);
                        for (const DRI_Memory &m : reported)
                            message_bytes += m.message_bytes;
                        run.frame();
                    }
                }
    EXPECT_EQ(sum_of(message_bytes) > 0, size > 1) << "some data travel by messages";
}

// Other processes read the user's large buffers directly, in tiles, with one or several threads.
TEST(Query, ReportsTheMemoryOfTiles) {
    constexpr int64_t rows = 63, columns = 7 * 1024;
    const Group all = make_world();
    const Gdo gdo = make_gdo({rows, columns}, DRI_INT64);
    const Dist from = make_dist(gdo, make_blocks(2, 0), all), to = make_dist(gdo, make_blocks(2, 1), all);
    std::vector<int64_t> memory(rows * columns);
    for (const int threads : {1, 2, 3})
        for (const DRI_Layout layout : {DRI_COL_MAJOR, DRI_ROW_MAJOR}) {
            void *const buffers[]{memory.data(), nullptr};
            Xfer source;
            const Xfer sink = make_xfer("tiles", DRI_SINK, to, layout);
            expect_success(DRI_xfer_create("tiles", DRI_SOURCE, from, DRI_ROW_MAJOR, 2, buffers, source.out()),
                           "DRI_xfer_create");
            expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
            const auto reported = query(all, {source, sink});
            commit(all);
            expect_reported_right(reported[0], source, 1, "source");
            expect_reported_right(reported[1], sink, 1, "sink");
            expect_success(DRI_do("tiles", DRI_XFER_NULL), "DRI_do");
        }
}

// A source with several sinks, on groups that do not know of each other.
TEST(Query, AddsUpAllSinksOfASource) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const Gdo gdo = make_gdo({30, 20}, DRI_INT32);
    const Dist from = make_dist(gdo, make_blocks(2, 0), all), columns = make_dist(gdo, make_blocks(2, 1), all);
    Dist last;
    if (rank == size - 1)
        last = make_dist(gdo, make_part({{}, {}}), make_group({size - 1}));
    const Xfer source = make_xfer("many", DRI_SOURCE, from, DRI_ROW_MAJOR, 2),
               sink = make_xfer("many", DRI_SINK, columns, DRI_COL_MAJOR);
    Xfer other;
    if (last)
        other = make_xfer("many", DRI_SINK, last);
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
    std::vector<DRI_Xfer> mine{source, sink};
    if (other)
        mine.push_back(other);
    const auto reported = query(all, mine);
    commit(all);
    expect_reported_right(reported[0], source, 2, "source");
    expect_reported_right(reported[1], sink, 1, "sink");
    if (other)
        expect_reported_right(reported[2], other, 1, "the other sink");
    EXPECT_EQ(reported[0].message_bytes > 0, size > 1);
}

// A query of 1 TiB of buffers succeeds, because only a commit reserves memory.
TEST(Query, ReservesNothing) {
    const int rank = world().rank;
    const Group all = make_world();
    const int64_t n = int64_t{1} << 18;
    const Gdo gdo = make_gdo({n, 2 * n}, DRI_COMPLEX_FLOAT);
    const Dist from = make_dist(gdo, make_blocks(2, 0), all), to = make_dist(gdo, make_blocks(2, 1), all);
    const Xfer source = make_xfer("vast", DRI_SOURCE, from), sink = make_xfer("vast", DRI_SINK, to, DRI_COL_MAJOR);
    int64_t rows = 0;
    expect_success(DRI_dist_get_count(from, rank, &rows, nullptr), "DRI_dist_get_count");
    const auto reported = query(all, {source, sink});
    EXPECT_EQ(reported[0].buffer_bytes, rows * 8);
    EXPECT_EQ(sum_of(reported[0].buffer_bytes), 16 * n * n);
}

// If one process fails, all fail, and the endpoints do not change.
TEST(Query, FailsForAllAndMayBeRepeated) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({12}), make_blocks(1, 0), all);
    Xfer source = make_xfer("lonely", DRI_SOURCE, dist);
    const auto refused = [&](int n, const DRI_Xfer *xfers, int code, const char *word) {
        DRI_Memory memory{};
        memory.workspace_bytes = 5;
        EXPECT_EQ(DRI_xfer_query(all, n, xfers, &memory), code) << word;
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find(word), std::string::npos) << message;
        if (n == 1) {
            EXPECT_EQ(memory.workspace_bytes, 0) << "no memory is reported";
        }
    };
    const DRI_Xfer endpoint = source.get(), null{};
    refused(1, &endpoint, DRI_ERR_UNMATCHED, "'lonely'");
    const Xfer sink = make_xfer("lonely", DRI_SINK, dist);
    const bool odd = rank == size - 1; // the only process with a wrong call
    refused(1, odd ? &null : &endpoint, DRI_ERR_HANDLE, "null");
    refused(odd ? -3 : 1, &endpoint, DRI_ERR_ARG, "-3");
    refused(1, odd ? nullptr : &endpoint, DRI_ERR_ARG, "xfers");
    const int without_memory =
        DRI_xfer_query(all, 1, &endpoint, odd ? nullptr : std::vector<DRI_Memory>(1).data());
    EXPECT_EQ(without_memory, DRI_ERR_ARG) << DRI_error_message();
    query(all, {source, sink});
    commit(all);
    refused(odd ? 1 : 0, odd ? &endpoint : nullptr, DRI_ERR_STATE, "'lonely'");
    expect_success(DRI_do("lonely", DRI_XFER_NULL), "DRI_do");
    query(all, {});
    EXPECT_EQ(DRI_xfer_query({}, 0, nullptr, nullptr), DRI_ERR_HANDLE)
        << "without a scope each process is on its own";
}

} // namespace
} // namespace dri::test
