// Workspace limits. The smallest limit that a query reports is enough, one byte less is not, and frames are right
// with any limit in between.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

DRI_Memory memory_of(DRI_Group scope, DRI_Xfer endpoint) {
    DRI_Memory memory{};
    const bool asks = endpoint.id != 0;
    expect_success(DRI_xfer_query(scope, asks ? 1 : 0, &endpoint, &memory), "DRI_xfer_query");
    return memory;
}

void set_limit(DRI_Xfer endpoint, int64_t bytes) {
    if (endpoint.id != 0)
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WORKSPACE_LIMIT, bytes), "DRI_xfer_set_attr");
}

int64_t workspace_of(DRI_Xfer endpoint) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
    return info.workspace_bytes;
}

// The value of the only process that has one, on all processes.
int64_t from_owner(int64_t mine) { return sum_of(mine); }

// Transfers whose endpoints need every kind of memory: few and many messages, one and several frames, copies and
// tiles.
std::vector<std::string> cases() {
    return {
        "float [120,500] block,* rm -> *,block 10 frames=3",
        "double [120,500] block,* rm -> *,block 10 buffers=3,2 frames=3",
        "6B/8 [90,300] block,* rm over 0 -> *,cyclic(0,3) rm buffers=2,1 frames=3",
        fmt::format("float [90,300] cyclic(0,3),* rm -> *,block rm over {} frames=3", world().size - 1),
        // The source's buffers are copied, because others read only long pieces directly.
        "float [120,500] block,* rm -> *,block 10 direct memory=heap,library frames=3",
    };
}

void expect_frames(TransferRun &run, int frames) {
    run.bind();
    for (int f = 0; f < frames; ++f)
        run.frame();
}

// Limits one endpoint at a time.
TEST(Limit, TheReportedMinimumIsEnoughAndAByteLessIsRefused) {
    const auto [rank, size] = world();
    const Group all = make_world();
    int number = 0, refused = 0;
    for (const std::string &line : cases())
        for (const bool of_source : {true, false})
            for (const int process : {0, size - 1}) {
                TransferRun run("limited " + std::to_string(number++), line);
                run.declare();
                const bool mine = process == rank && (of_source ? run.has_source() : run.has_sink());
                const DRI_Xfer endpoint = !mine ? DRI_XFER_NULL : of_source ? run.source() : run.sink();
                const int64_t min = from_owner(memory_of(all, endpoint).least_bytes);
                if (min > 0) {
                    ++refused;
                    set_limit(endpoint, min - 1);
                    const auto expect_refusal = [&](int code) {
                        EXPECT_EQ(code, DRI_ERR_LIMIT) << DRI_error_message();
                        const std::string message = DRI_error_message();
                        EXPECT_NE(message.find(std::to_string(min) + " bytes"), std::string::npos) << message;
                        EXPECT_NE(message.find(std::to_string(min - 1)), std::string::npos) << message;
                        EXPECT_NE(message.find(of_source ? "source" : "sink"), std::string::npos) << message;
                        EXPECT_NE(message.find("process " + std::to_string(process)), std::string::npos)
                            << message;
                    };
                    expect_refusal(DRI_commit(all));
                    expect_refusal(DRI_xfer_query(all, 0, nullptr, nullptr));
                }
                set_limit(endpoint, min);
                const DRI_Memory reported = memory_of(all, endpoint);
                EXPECT_EQ(reported.least_bytes, mine ? min : 0) << "a limit does not change the smallest one";
                commit(all);
                if (mine) {
                    EXPECT_LE(workspace_of(endpoint), min);
                    EXPECT_EQ(workspace_of(endpoint), reported.workspace_bytes);
                }
                expect_frames(run, run.transfer().frames);
            }
    EXPECT_EQ(refused > 0, size > 1);
}

// Limits all endpoints at once, from the smallest limit to the default workspace.
TEST(Limit, FramesAreRightWithAnyLimit) {
    const Group all = make_world();
    int number = 0;
    int64_t limited = 0;
    for (const std::string &line : cases())
        for (const int percent : {0, 1, 20, 60, 100}) {
            TransferRun run("between " + std::to_string(number++), line);
            run.declare();
            std::vector<std::pair<DRI_Xfer, int64_t>> limits;
            for (const DRI_Xfer endpoint :
                 {run.has_source() ? run.source() : DRI_XFER_NULL, run.has_sink() ? run.sink() : DRI_XFER_NULL}) {
                const DRI_Memory reported = memory_of(all, endpoint);
                const int64_t limit =
                    reported.least_bytes + (reported.workspace_bytes - reported.least_bytes) * percent / 100;
                if (endpoint.id != 0)
                    limits.emplace_back(endpoint, limit);
                limited += limit < reported.workspace_bytes;
            }
            for (const auto &[end, limit] : limits)
                set_limit(end, limit);
            commit(all);
            for (const auto &[end, limit] : limits)
                EXPECT_LE(workspace_of(end), limit) << percent << " of " << line;
            expect_frames(run, run.transfer().frames);
            run.check_info();
        }
    EXPECT_EQ(sum_of(limited) > 0, world().size > 1);
}

// The messages of a small turn are shorter than any chunk, and those of the smallest ones shorter than a cache
// line. They become shorter still, and lie next to each other, so that source and sink together need no more than
// one buffer.
TEST(Limit, ASmallTurnNeedsOneBuffer) {
    const Group all = make_world();
    for (const char *type : {"float", "double", "complex-double"})
        for (const int n : {8, 16, 24, 32, 64, 128}) {
            const std::string size = std::to_string(n);
            TransferRun run(type + (" small " + size),
                            type + (" [" + size + "," + size + "] block,* rm -> *,block 10"));
            run.declare();
            size_t bytes = 0;
            expect_success(DRI_xfer_buffer_bytes(run.source(), &bytes), "DRI_xfer_buffer_bytes");
            for (const DRI_Xfer endpoint : {run.source(), run.sink()})
                set_limit(endpoint, static_cast<int64_t>(bytes) / 2);
            commit(all);
            EXPECT_LE(workspace_of(run.source()) + workspace_of(run.sink()), static_cast<int64_t>(bytes));
            expect_frames(run, run.transfer().frames);
        }
}

// Only the messages of the limited name become shorter. Other names of the same commit are not affected.
TEST(Limit, AffectsItsOwnTransferOnly) {
    const Group all = make_world();
    const auto messages = [](TransferRun &run) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(run.sink(), &info), "DRI_xfer_get_info");
        return info.messages;
    };
    TransferRun limited("limited", cases()[0]), beside("beside", cases()[0]);
    for (TransferRun *run : {&limited, &beside})
        run->declare();
    const int64_t min = memory_of(all, limited.sink()).least_bytes;
    if (world().rank == 0)
        set_limit(limited.sink(), min);
    commit(all);
    for (TransferRun *run : {&limited, &beside})
        expect_frames(*run, 2);
    if (world().size > 1) {
        EXPECT_GT(messages(limited), messages(beside));
    }
    barrier();
}

// A message is received while the previous one is unpacked. This holds even if two long messages exceed the limit.
TEST(Limit, ASinkPrefersTwoShortMessagesToOneLongMessage) {
    if (world().size != 2)
        GTEST_SKIP() << "needs two processes that exchange some long messages";
    const Group all = make_world();
    const std::string line = "double [2048,1024] block,* rm -> *,block rm";
    TransferRun free("free", line), limited("limited to half", line);
    for (TransferRun *run : {&free, &limited})
        run->declare();
    const int64_t room = memory_of(all, limited.sink()).workspace_bytes;
    set_limit(limited.sink(), room / 2);
    commit(all);
    const auto messages = [](TransferRun &run) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(run.source(), &info), "DRI_xfer_get_info");
        return info.messages;
    };
    for (TransferRun *run : {&free, &limited})
        expect_frames(*run, 2);
    EXPECT_GT(messages(free), 1);
    EXPECT_EQ(messages(limited), 2 * messages(free));
    EXPECT_EQ(workspace_of(limited.sink()), room / 2);
}

// With memory for k frames a source runs k frames ahead of the sinks of other processes. Going further is refused
// if the call could wait forever.
TEST(Limit, ASourceRunsAheadByTheFramesThatItsMemoryHolds) {
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    for (int room = 0; room <= 4; ++room) {
        TransferRun run("ahead " + std::to_string(room), "float [300,400] block,* rm -> *,block rm buffers=4,1");
        run.declare();
        const DRI_Memory reported = memory_of(all, run.source());
        ASSERT_EQ(reported.message_bytes % 4, 0);
        set_limit(run.source(), room == 0 ? reported.least_bytes : reported.message_bytes / 4 * room);
        commit(all);
        run.bind();
        EXPECT_LE(workspace_of(run.source()),
                  room == 0 ? reported.least_bytes : reported.message_bytes / 4 * room);
        const int ahead = std::min(room, 3);
        for (int f = 0; f < 6; f += ahead + 1) {
            for (int k = 0; k < ahead; ++k) {
                run.fill();
                run.execute_source();
            }
            if (ahead < 3 && ahead > 0) {
                run.fill();
                EXPECT_EQ(DRI_do(nullptr, run.source()), DRI_ERR_DEADLOCK);
                EXPECT_NE(std::string(DRI_error_message()).find("workspace"), std::string::npos)
                    << DRI_error_message();
            }
            barrier();
            for (int k = 0; k < ahead; ++k) {
                run.execute_sink();
                run.check();
            }
            run.frame(); // by name, now that source and sink are at the same frame
        }
        barrier();
    }
}

// A frame sent in rounds continues if a sink leaves between two rounds, and no round waits for that sink.
TEST(Limit, RoundsContinueWithoutASinkThatHasLeft) {
    const auto [rank, size] = world();
    if (size < 3)
        GTEST_SKIP() << "needs a source and two sinks";
    const Group all = make_world();
    constexpr int64_t n = 60000;
    const Gdo gdo = make_gdo({n}, DRI_INT32);
    Xfer source;
    std::vector<Xfer> sinks;
    if (rank == 0)
        source =
            make_xfer("shrinking", DRI_SOURCE, make_dist(gdo, make_part({{}}), make_group({0})), DRI_ROW_MAJOR, 2);
    else // otherwise each process is a group of its own
        sinks.push_back(make_xfer("shrinking", DRI_SINK, make_dist(gdo, make_part({{}}), make_group({rank}))));
    if (rank == 0)
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE),
                       "DRI_xfer_set_attr");
    set_limit(source, memory_of(all, source).least_bytes);
    commit(all);
    for (int f = 0; f < 12; ++f) {
        if (rank == 0) {
            auto *out = buffer_of<int32_t>(source);
            for (int64_t i = 0; i < n; ++i)
                out[i] = static_cast<int32_t>(i + f);
            expect_success(DRI_do(nullptr, source), "DRI_do");
            continue;
        }
        if (rank == size - 1 && f == 4) {
            EXPECT_EQ(sinks[0].reset(), DRI_SUCCESS) << DRI_error_message();
            break;
        }
        expect_success(DRI_do(nullptr, sinks[0]), "DRI_do");
        const auto *in = buffer_of<int32_t>(sinks[0]);
        int64_t wrong = 0;
        for (int64_t i = 0; i < n; ++i)
            wrong += in[i] != i + f;
        EXPECT_EQ(wrong, 0) << "in frame " << f;
    }
    barrier();
}

} // namespace
} // namespace dri::test
