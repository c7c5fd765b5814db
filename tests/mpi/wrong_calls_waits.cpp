// Calls of a single process that would wait for that process itself.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

// Every process has its own 6 x 4 doubles.
class WrongWaits : public testing::Test {
protected:
    Group alone_ = make_group({world().rank});
    Dist dist_ = make_dist(make_gdo({6, 4}, DRI_DOUBLE), make_blocks(2, 0), alone_);
};

// The number of frames of an endpoint, and the first element of its current buffer.
struct Standing {
    int64_t frames;
    double first;
};

Standing standing(DRI_Xfer xfer, const double *buffer) {
    DRI_Xfer_info info;
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return {info.frames, *buffer};
}

TEST_F(WrongWaits, WaitingForItselfIsADeadlockAndChangesNothing) {
    const Xfer source = make_xfer("self", DRI_SOURCE, dist_), sink = make_xfer("self", DRI_SINK, dist_);
    commit(alone_);
    const DRI_Xfer out = source, in = sink;
    auto *sent = buffer_of<double>(out);
    void *received = nullptr;
    expect_success(DRI_xfer_get_buffers(in, nullptr, &received), "DRI_xfer_get_buffers");
    for (int i = 0; i < 24; ++i)
        sent[i] = i + 1;
    expect_refused({
        {"the sink before the source", [=] { return DRI_do(nullptr, in); }, DRI_ERR_DEADLOCK, {"'self'"}},
        {"the source with its one buffer",
         [=] { return DRI_do(nullptr, out); },
         DRI_ERR_DEADLOCK,
         {"'self'", "(by name, or DRI_start of both, then DRI_wait), or give the source another buffer"}},
    });
    const Standing a = standing(out, sent), b = standing(in, static_cast<double *>(received));
    EXPECT_EQ(a.frames, 0);
    EXPECT_EQ(a.first, 1);
    EXPECT_EQ(b.frames, 0);
    EXPECT_EQ(b.first, 0) << "a buffer of the library is zero before its first frame";
    EXPECT_EQ(buffer_of<double>(out), sent);
    expect_success(DRI_do("self", DRI_XFER_NULL), "DRI_do");
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(buffer_of<double>(in)[i], i + 1);
}

TEST_F(WrongWaits, TwoBuffersLetTheSourceRunOneFrameAhead) {
    const Xfer source = make_xfer("ahead", DRI_SOURCE, dist_, DRI_ROW_MAJOR, 2),
               sink = make_xfer("ahead", DRI_SINK, dist_);
    commit(alone_);
    const DRI_Xfer out = source, in = sink;
    buffer_of<double>(out)[0] = 10;
    expect_success(DRI_do(nullptr, out), "DRI_do");
    buffer_of<double>(out)[0] = 11;
    expect_refused({{"a second frame ahead",
                     [=] { return DRI_do(nullptr, out); },
                     DRI_ERR_DEADLOCK,
                     {"'ahead'", "(by name, or DRI_start of both, then DRI_wait), or the sink first"}}});
    expect_success(DRI_do(nullptr, in), "DRI_do");
    EXPECT_EQ(buffer_of<double>(in)[0], 10);
    expect_refused(
        {{"a frame that was not handed over", [=] { return DRI_do(nullptr, in); }, DRI_ERR_DEADLOCK, {}}});
    expect_success(DRI_do("ahead", out), "DRI_do");
    expect_success(DRI_do("ahead", in), "DRI_do");
    EXPECT_EQ(buffer_of<double>(in)[0], 11);
}

} // namespace
} // namespace dri::test
