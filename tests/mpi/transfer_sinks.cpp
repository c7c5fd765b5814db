// Several sink groups of one name, each with its own partition and layout, which do not know of each other.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

namespace dri::test {
namespace {

// A matrix from one source to several sinks. Each text is one side of a case line.
std::vector<TransferCase> herd(const std::string &source, const std::vector<std::string> &sinks,
                               const std::string &words = "direct") {
    std::vector<TransferCase> cases;
    for (const std::string &sink : sinks)
        cases.push_back(case_of(fmt::format("int32 [14,9] {} -> {} {}", source, sink, words)));
    return cases;
}

TEST(Sinks, TwoGroupsWithoutCommonProcesses) {
    const int n = world().size, half = (n + 1) / 2;
    expect_transfer(herd("block,* rm over 0",
                         {fmt::format("*,block cm over 0-{}", half - 1),
                          n > half ? fmt::format("block,* rm over {}-{}", half, n - 1) : "block,* rm over 0"},
                         "direct frames=4"));
}

TEST(Sinks, ThreeGroupsThatShareProcesses) {
    const int last = world().size - 1;
    for (const std::string &from :
         {std::string("all"), std::to_string(world().size / 2), fmt::format("{}-0", last)}) {
        const auto cases = herd("block,* rm over " + from,
                                {"*,block cm", fmt::format("block,* cm over 0-{}", std::max(0, last - 1)),
                                 fmt::format("at[2,1]+[11,8] *,block rm over {}", last)},
                                "direct buffers=1,2 frames=3");
        EXPECT_EQ(TransferRun("held", cases).sinks(), (last == 0 ? 3u : 2u));
        expect_transfer(cases);
    }
}

TEST(Sinks, GroupsThatWantOnlyPartOfTheObject) {
    expect_transfer(
        herd("block,* rm",
             {"at[3,0]+[5,9] *,block rm", fmt::format("at[13,4]+[1,2] block,* cm over {}", world().size - 1)},
             "direct frames=3"));
}

// One source process. One sink group holds columns in column-major order, the other one rows with overlap.
TEST(Sinks, GroupsOfOtherPartitionLayoutAndOverlap) {
    const int n = world().size;
    for (const int overlap : {1, 3, 20}) {
        const auto cases = herd(fmt::format("block,* rm over {}", n / 2),
                                {fmt::format("*,block cm over {}-{}", n / 2, n - 1),
                                 fmt::format("block<{0}:{0}>,* rm over {1}", overlap,
                                             n > 1 ? fmt::format("0,{}", n - 1) : std::string("0"))},
                                "direct buffers=1,2 frames=3");
        EXPECT_EQ(TransferRun("held", cases).sinks() == 2, n == 1 || world().rank == n - 1)
            << "the last process is in both";
        expect_transfer(cases);
    }
}

TEST(Sinks, EachEndpointByItsHandle) {
    const int frames = 4;
    // The second sink is on all processes, so some processes hold two sinks.
    TransferRun run("ant",
                    herd("block,* rm over 0", {fmt::format("*,block rm over {}", world().size - 1), "block,* cm"},
                         "direct buffers=4,1"));
    run.declare();
    commit(make_world());
    run.bind();
    // With as many buffers as frames, the source would wait only for its own process's sink.
    for (int f = 0; f < frames - 1; ++f) {
        run.fill();
        run.execute_source();
    }
    // One sink extracts all its frames before the other one extracts any.
    for (size_t k = 0; k < run.sinks(); ++k)
        for (int f = 0; f < frames - 1; ++f) {
            run.execute_sink(k);
            run.check(k);
        }
    DRI_Xfer_info info;
    for (size_t k = 0; k < run.sinks(); ++k) {
        expect_success(DRI_xfer_get_info(run.sink(k), &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.frames, frames - 1);
    }
    run.frame(); // The last frame is executed by name and reaches both sinks.
}

TEST(Sinks, AMissingEndpointOfOneGroupFailsOnAll) {
    const int n = world().size, last = n - 1;
    TransferRun run("zebra", herd("block,* rm over 0", {"*,block rm", "block,* cm"}));
    run.declare();
    if (n > 1) {
        if (world().rank == last)
            run.destroy_sink(1);
        EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_UNMATCHED);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("process " + std::to_string(last) + " has not declared its endpoint of the sink"),
                  std::string::npos)
            << message;
        if (world().rank == last)
            run.declare_sink(1);
    }
    commit(make_world());
    run.bind();
    run.frame();
    run.frame();
}

TEST(Sinks, NoSinkIsAddedAfterTheCommit) {
    TransferRun run("zebra", "int32 [14,9] block,* rm -> *,block rm direct");
    run.declare();
    const Group all = make_world();
    const Gdo gdo = make_gdo({14, 9}, DRI_INT32);
    const Dist same = make_dist(gdo, make_blocks(2, 1), all), more = make_dist(gdo, make_blocks(2, 0), all);
    const auto expect_refused = [&](int code, DRI_Dist dist, DRI_Layout layout, const char *why) {
        const Xfer other = make_xfer("zebra", DRI_SINK, dist, layout);
        EXPECT_EQ(DRI_commit(all), code) << why << ": " << DRI_error_message();
    };
    expect_refused(DRI_ERR_MISMATCH, same, DRI_COL_MAJOR, "two sinks with the same distribution");
    commit(all);
    expect_refused(DRI_ERR_STATE, more, DRI_ROW_MAJOR, "the transfer is committed");
    run.bind();
    run.frame();
    run.frame();
}

TEST(Sinks, BuffersOfTwoSinksMustNotShareMemory) {
    static std::vector<int32_t> memory(14 * 9);
    void *const buffers[]{memory.data()};
    const Group all = make_world();
    const Gdo gdo = make_gdo({14, 9}, DRI_INT32);
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
} // namespace dri::test
