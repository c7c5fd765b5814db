// Checks that moving a frame allocates no memory.
#include "support/allocation_counter.hpp"
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/strip_turn.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dri::test {
namespace {

TEST(Allocations, AreCounted) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    void *kept = nullptr;
    EXPECT_GE(allocations_of([&] { kept = std::malloc(100); }), 1);
    std::free(kept);
    EXPECT_GE(allocations_of([&] { kept = ::operator new(100); }), 1);
    ::operator delete(kept);
    DRI_Gdo gdo{};
    const int64_t size = 5;
    EXPECT_GE(allocations_of([&] { DRI_gdo_create(1, DRI_FLOAT, &size, &gdo); }), 1)
        << "the library's allocations are counted, too";
    EXPECT_EQ(DRI_gdo_destroy(&gdo), DRI_SUCCESS);
}

// threads: number of threads of each process. If more than one, they share all copies.
void expect_no_allocations(int threads) {
    int number = 0;
    for (const char *line : {"float [60,70] block,* rm -> *,block 10 direct",
                             "6B/8 [60,70] cyclic(0,3),* rm -> *,cyclic(0,3) rm direct limit=500 buffers=2,3",
                             "float [60,70] block,* rm over 0 -> *,block rm direct",
                             "complex-float [60,70] block,* rm -> *,block 10/split direct"}) {
        const std::string name = "frames with a name that no short string holds " + std::to_string(number++);
        TransferRun run(name, line);
        run.declare();
        if (threads > 1)
            run.set_threads(threads);
        commit(make_world());
        run.bind();
        run.frame();
        int failed = 0;
        const long made = allocations_of([&] {
            for (int f = 0; f < 100; ++f) {
                if (f == 50 && world().rank == 0) // the others note a wait that lasts
                    std::this_thread::sleep_for(std::chrono::milliseconds(30));
                if (run.has_source() || run.has_sink())
                    failed += DRI_do(name.c_str(), DRI_XFER_NULL) != DRI_SUCCESS;
            }
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 100 frames";
        barrier();
    }
}

TEST(Allocations, HundredFramesMakeNone) { expect_no_allocations(1); }

TEST(Allocations, FramesOfSeveralThreadsMakeNone) { expect_no_allocations(3); }

TEST(Allocations, FramesThatConvertMakeNone) {
    const Group all = make_world();
    Layout split;
    expect_success(DRI_layout_with_complex(DRI_COL_MAJOR, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    const Dist in = make_dist(make_gdo({60, 70}, DRI_COMPLEX_INT16), make_blocks(2, 0), all),
               out = make_dist(make_gdo({60, 70}, DRI_COMPLEX_FLOAT), make_blocks(2, 1), all);
    for (const DRI_Layout layout : {DRI_ROW_MAJOR, DRI_COL_MAJOR, split.get()}) {
        const Xfer source = make_xfer("frames that convert", DRI_SOURCE, in),
                   sink = make_xfer("frames that convert", DRI_SINK, out, layout);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_scale(sink, 0.5), "DRI_xfer_set_scale");
        commit(all);
        expect_success(DRI_do("frames that convert", DRI_XFER_NULL), "DRI_do");
        int failed = 0;
        const long made = allocations_of([&] {
            for (int f = 0; f < 100; ++f)
                failed += DRI_do("frames that convert", DRI_XFER_NULL) != DRI_SUCCESS;
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 100 frames";
        barrier();
    }
}

TEST(Allocations, FramesInRoundsMakeNone) {
    const Group all = make_world();
    TransferRun run("in rounds", "float [60,700] block,* rm -> *,block rm buffers=2,1");
    run.declare();
    const DRI_Xfer endpoints[]{run.source(), run.sink()};
    DRI_Memory reported[2];
    expect_success(DRI_xfer_query(all, 2, endpoints, reported), "DRI_xfer_query");
    for (size_t i = 0; i < 2; ++i)
        expect_success(DRI_xfer_set_attr(endpoints[i], DRI_ATTR_WORKSPACE_LIMIT, reported[i].least_bytes),
                       "DRI_xfer_set_attr");
    commit(all);
    run.bind();
    run.frame();
    int failed = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < 100; ++f)
            failed += DRI_do("in rounds", DRI_XFER_NULL) != DRI_SUCCESS;
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, 0) << "allocations in 100 frames";
    barrier();
}

TEST(Allocations, FramesInPlaceMakeNone) {
    for (const char *sizes : {"[180,180]", "[60,700]"}) {
        InPlaceRun run({.line = fmt::format("8B/8 {} block,* rm -> *,block 10 direct buffers=2", sizes)});
        commit(make_world());
        run.frame();
        int failed = 0;
        const long made = allocations_of([&] {
            for (int f = 0; f < 100; ++f)
                failed += DRI_do(run.name().c_str(), DRI_XFER_NULL) != DRI_SUCCESS;
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 100 frames";
        barrier();
    }
}

TEST(Allocations, FramesThatSlideMakeNone) {
    const Group all = make_world();
    const Gdo whole = make_gdo({60, 70});
    const int64_t zeros[2]{}, sizes[]{20, 70};
    Gdo part;
    expect_success(DRI_gdo_subset(whole, zeros, sizes, part.out()), "DRI_gdo_subset");
    const Dist longer = make_dist(whole, make_blocks(2, 1), all), window = make_dist(part, make_blocks(2, 0), all);
    for (const bool of_source : {true, false}) {
        const Xfer source =
                       make_xfer("frames that slide", DRI_SOURCE, of_source ? longer : window, DRI_ROW_MAJOR, 2),
                   sink = make_xfer("frames that slide", DRI_SINK, of_source ? window : longer);
        const DRI_Xfer slides = of_source ? source : sink;
        expect_success(DRI_xfer_set_attr(slides, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        commit(all);
        expect_success(DRI_do("frames that slide", DRI_XFER_NULL), "DRI_do");
        int failed = 0;
        const long made = allocations_of([&] {
            for (int64_t f = 0; f < 100; ++f) {
                const int64_t offset[]{f % 41, 0};
                failed += DRI_xfer_rebase(slides, offset) != DRI_SUCCESS;
                failed += DRI_do("frames that slide", DRI_XFER_NULL) != DRI_SUCCESS;
            }
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 100 frames";
        barrier();
    }
}

// The sink's buffer moves, too.
TEST(Allocations, FramesByHandleMakeNone) {
    std::vector<float> memory(60 * 70 + 1);
    TransferRun run("by handle", "float [60,70] block,* rm -> *,block rm direct buffers=2,1");
    run.declare();
    expect_success(DRI_xfer_set_attr(run.sink(), DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
    commit(make_world());
    run.bind();
    run.frame();
    void *buffer = nullptr;
    DRI_Xfer_info info;
    int failed = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < 100; ++f) {
            failed += DRI_do(nullptr, run.source()) != DRI_SUCCESS;
            failed += DRI_xfer_rebind(run.sink(), &memory[static_cast<size_t>(f % 2)]) != DRI_SUCCESS;
            failed += DRI_do(nullptr, run.sink()) != DRI_SUCCESS;
            failed += DRI_xfer_get_buffers(run.sink(), nullptr, &buffer) != DRI_SUCCESS;
            failed += DRI_xfer_get_buffer(run.source(), &buffer) != DRI_SUCCESS;
        }
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, 0) << "allocations in 100 frames";
    expect_success(DRI_xfer_get_info(run.sink(), &info), "DRI_xfer_get_info");
    EXPECT_EQ(info.frames, 101);
}

// Neither frames that are sent nor frames that are dropped may allocate.
TEST(Allocations, SinksThatDropMakeNone) {
    const Group all = make_world();
    const Dist from = make_dist(make_gdo({60, 70}), make_blocks(2, 0), all),
               to = make_dist(make_gdo({60, 70}), make_blocks(2, 1), all);
    const Xfer source = make_xfer("drops", DRI_SOURCE, from, DRI_ROW_MAJOR, 2),
               sink = make_xfer("drops", DRI_SINK, to, DRI_COL_MAJOR, 2);
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP), "DRI_xfer_set_attr");
    commit(all);
    expect_success(DRI_progress(), "DRI_progress");
    int failed = 0;
    void *buffer = nullptr;
    const long made = allocations_of([&] {
        for (int f = 0; f < 100; ++f) {
            failed += DRI_insert(source, nullptr) != DRI_SUCCESS;
            failed += DRI_progress() != DRI_SUCCESS;
            failed += DRI_next(source, &buffer) != DRI_SUCCESS; // acquires
            failed += DRI_next(source, &buffer) != DRI_SUCCESS; // holds it
        }
        for (int f = 0; f < 2; ++f) {
            failed += DRI_extract(sink, &buffer, nullptr) != DRI_SUCCESS;
            failed += DRI_release(sink) != DRI_SUCCESS;
        }
    });
    EXPECT_EQ(made, 0);
    EXPECT_EQ(failed, 0) << DRI_error_message();
    barrier();
}

TEST(Allocations, StartAndWaitMakeNone) {
    TransferRun run("in halves", "float [60,70] block,* rm -> *,block rm direct buffers=3,2");
    run.declare();
    expect_success(DRI_xfer_set_attr(run.source(), DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_attr(run.sink(), DRI_ATTR_TIMEOUT_MS, 60000), "DRI_xfer_set_attr");
    commit(make_world());
    run.bind();
    run.frame();
    expect_success(DRI_progress(), "DRI_progress");
    void *buffer = nullptr;
    DRI_Frame frame{};
    frame.bytes = 200;
    int failed = DRI_release(run.sink()) != DRI_SUCCESS, done = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < 100; ++f) {
            failed += DRI_insert(run.source(), &frame) != DRI_SUCCESS;
            failed += DRI_progress() != DRI_SUCCESS;
            failed += DRI_extract(run.sink(), &buffer, &frame) != DRI_SUCCESS;
            failed += DRI_release(run.sink()) != DRI_SUCCESS;
            failed += DRI_acquire(run.source(), &buffer) != DRI_SUCCESS;
            failed += DRI_start("in halves", DRI_XFER_NULL) != DRI_SUCCESS;
            for (done = 0; !done && !failed;)
                failed += DRI_test("in halves", DRI_XFER_NULL, &done) != DRI_SUCCESS;
            failed += DRI_release(run.sink()) != DRI_SUCCESS;
        }
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, 0) << "allocations in 200 frames";
    barrier();
}

TEST(Allocations, StripsMakeNone) {
    for (const int64_t ways : {DRI_WAY_SELF + DRI_WAY_MESSAGE + DRI_WAY_DIRECT, DRI_WAY_MESSAGE + 0}) {
        const StripTurn turn{.sizes = {60, 48}, .source = row_strips(16, 2), .sink = column_strips(9)};
        const TurnEndpoint source("strips", DRI_SOURCE, turn), sink("strips", DRI_SINK, turn);
        for (const TurnEndpoint *endpoint : {&source, &sink})
            expect_success(DRI_xfer_set_attr(endpoint->xfer(), DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        commit(make_world());
        int failed = 0;
        const auto run = [&](int arrays) {
            for (int array = 0; array < arrays; ++array) {
                for (int k = 0; k < 4; ++k)
                    failed += DRI_do(nullptr, source.xfer()) != DRI_SUCCESS;
                for (int t = 0; t < 6; ++t)
                    failed += DRI_do(nullptr, sink.xfer()) != DRI_SUCCESS;
                failed += DRI_release(sink.xfer()) != DRI_SUCCESS;
            }
        };
        run(1);
        const long made = allocations_of([&] { run(20); });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 20 arrays";
        barrier();
    }
}

} // namespace
} // namespace dri::test
