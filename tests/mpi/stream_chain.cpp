// Two transfers share the user's buffers: what one receives, the other one sends.
#include "support/library.hpp"
#include "support/strip.hpp"

namespace dri::test {
namespace {

Xfer declare_with(const char *name, DRI_Role role, DRI_Dist dist, std::vector<std::vector<int32_t>> &memory) {
    std::vector<void *> buffers;
    for (auto &m : memory)
        buffers.push_back(m.data());
    Xfer xfer;
    expect_success(DRI_xfer_create(name, role, dist, DRI_COL_MAJOR, static_cast<int>(buffers.size()),
                                   buffers.data(), xfer.out()),
                   "DRI_xfer_create");
    return xfer;
}

// Rows become columns in the user's memory, and from there rows again. The first transfer runs ahead as far as it
// can while the previous frame is still being sent.
TEST(Chain, AFrameThatIsBeingSentIsNotOverwritten) {
    const std::vector<int> all = all_ranks();
    constexpr int64_t frames = 12;
    const Strip source = *declare_strip("in", DRI_SOURCE, all, 4);
    const StripShape shape = source.shape;
    const Dist columns =
        make_dist(make_gdo({shape.rows, shape.columns}, DRI_INT32), make_blocks(2, 1), make_group(all));
    const auto enough = static_cast<size_t>(shape.rows * shape.columns);
    std::vector<std::vector<int32_t>> memory(2, std::vector<int32_t>(enough));
    const Xfer in = declare_with("in", DRI_SINK, columns, memory);
    const Xfer out = declare_with("out", DRI_SOURCE, columns, memory);
    const Xfer rows = make_xfer("out", DRI_SINK, source.dist, DRI_ROW_MAJOR, 1);
    commit(make_world());
    const int64_t elements = source.part.elements();
    std::vector<int32_t> expected(enough);
    const auto hand_over = [&](int64_t frame) {
        source.fill(buffer_of<void>(source.xfer), frame);
        insert(source.xfer);
    };
    const auto take_rows = [&](int64_t frame) {
        expect_success(DRI_do(nullptr, rows), "DRI_do of the rows");
        source.fill(expected.data(), frame);
        EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + elements, buffer_of<int32_t>(rows))) << frame;
    };
    hand_over(0);
    acquire(source.xfer);
    for (int64_t frame = 0; frame < frames; ++frame) {
        hand_over(frame + 1);
        expect_success(DRI_do(nullptr, in), "DRI_do of the columns");
        barrier(); // the next frame has arrived on all processes
        for (int i = 0; i < 20; ++i)
            expect_success(DRI_progress(), "DRI_progress");
        barrier();
        if (frame > 0)
            take_rows(frame - 1);
        expect_success(DRI_do(nullptr, out), "DRI_do of the columns' source");
        acquire(source.xfer);
    }
    take_rows(frames - 1);
}

// A frame is counted when the next buffer is acquired, whatever was inserted meanwhile.
TEST(Times, OfStartAndWaitHaveTheRightFrameNumbers) {
    const std::vector<int> all = all_ranks();
    const Strip source = *declare_strip("times", DRI_SOURCE, all, 3),
                sink = *declare_strip("times", DRI_SINK, all, 3);
    commit(make_world());
    acquire(source.xfer);
    acquire(source.xfer);
    for (int i = 0; i < 3; ++i)
        insert(source.xfer);
    for (int i = 0; i < 3; ++i)
        extract(sink.xfer);
    acquire(source.xfer);
    for (const DRI_Xfer xfer : {DRI_Xfer(source.xfer), DRI_Xfer(sink.xfer)}) {
        DRI_Frame_times times[8];
        int n = 0;
        expect_success(DRI_xfer_get_times(xfer, 8, times, &n), "DRI_xfer_get_times");
        ASSERT_EQ(n, 3);
        for (int i = 0; i < n; ++i)
            EXPECT_EQ(times[i].frame, i);
    }
}

} // namespace
} // namespace dri::test
