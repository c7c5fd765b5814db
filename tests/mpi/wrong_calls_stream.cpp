// Wrong uses of the split calls of a frame.
#include "support/library.hpp"
#include "support/strip.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

WrongCalls stream_calls(DRI_Xfer out, DRI_Xfer in, int code, const std::vector<std::string> &words) {
    WrongCalls calls{
        {"next", [=] { return DRI_next(out, nullptr); }, code, words},
        {"acquire", [=] { return DRI_acquire(out, nullptr); }, code, words},
        {"insert", [=] { return DRI_insert(out, nullptr); }, code, words},
        {"extract", [=] { return DRI_extract(in, nullptr, nullptr); }, code, words},
        {"release", [=] { return DRI_release(in); }, code, words},
        {"get_frame", [=] { return DRI_xfer_get_frame(in, nullptr, nullptr); }, code, words},
    };
    if (out.id == 0)
        return calls; // the others take a name instead of a handle
    calls.push_back({"start", [=] { return DRI_start(nullptr, in); }, code, words});
    calls.push_back({"test",
                     [=] {
                         int done = 0;
                         return DRI_test(nullptr, out, &done);
                     },
                     code, words});
    calls.push_back({"wait", [=] { return DRI_wait(nullptr, in); }, code, words});
    return calls;
}

TEST(WrongStream, HandlesAreRefused) {
    const Group alone = make_group({world().rank});
    expect_refused(stream_calls({}, {}, DRI_ERR_HANDLE, {"null"}));
    expect_refused(stream_calls(as<DRI_Xfer>(alone.get()), as<DRI_Xfer>(alone.get()), DRI_ERR_HANDLE, {"group"}));
}

TEST(WrongStream, CallsOutOfOrderAreRefused) {
    const std::vector<int> me{world().rank};
    const Strip source = *declare_strip("flow", DRI_SOURCE, me, 2), sink = *declare_strip("flow", DRI_SINK, me, 2);
    const DRI_Xfer out = source.xfer, in = sink.xfer;
    expect_refused(stream_calls(out, in, DRI_ERR_STATE, {"'flow'", "committed"}));
    expect_refused({
        {"a time-out of -1 ms",
         [=] { return DRI_xfer_set_attr(out, DRI_ATTR_TIMEOUT_MS, -1); },
         DRI_ERR_ARG,
         {"-1"}},
        {"a time-out of 2^31 ms",
         [=] { return DRI_xfer_set_attr(in, DRI_ATTR_TIMEOUT_MS, int64_t{1} << 31); },
         DRI_ERR_ARG,
         {"2147483648"}},
    });
    commit(make_group(me));
    const WrongCalls of_the_other_end{
        {"acquire of a sink",
         [=] { return DRI_acquire(in, nullptr); },
         DRI_ERR_ARG,
         {"DRI_acquire", "'flow'", "sink"}},
        {"next of a sink", [=] { return DRI_next(in, nullptr); }, DRI_ERR_ARG, {"DRI_next", "'flow'", "sink"}},
        {"insert of a sink",
         [=] { return DRI_insert(in, nullptr); },
         DRI_ERR_ARG,
         {"DRI_insert", "'flow'", "sink"}},
        {"extract of a source",
         [=] { return DRI_extract(out, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"DRI_extract", "'flow'", "source"}},
        {"release of a source",
         [=] { return DRI_release(out); },
         DRI_ERR_ARG,
         {"DRI_release", "'flow'", "source"}},
        {"get_frame of a source",
         [=] { return DRI_xfer_get_frame(out, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"DRI_xfer_get_frame", "'flow'", "source"}},
        {"get_frame before the first frame",
         [=] {
             DRI_Frame frame{};
             return DRI_xfer_get_frame(in, nullptr, &frame);
         },
         DRI_ERR_STATE,
         {"'flow'", "holds no frame"}},
        {"start of no endpoint", [] { return DRI_start("nobody", DRI_XFER_NULL); }, DRI_ERR_ARG, {"'nobody'"}},
        {"start of another name", [=] { return DRI_start("flaw", out); }, DRI_ERR_ARG, {"'flaw'", "'flow'"}},
        {"start without a name", [] { return DRI_start(nullptr, DRI_XFER_NULL); }, DRI_ERR_ARG, {"name"}},
        {"no output for the result", [=] { return DRI_test(nullptr, out, nullptr); }, DRI_ERR_ARG, {"done"}},
        {"wait for what is not started", [=] { return DRI_wait(nullptr, out); }, DRI_ERR_STATE, {"DRI_start"}},
        {"the same by name", [] { return DRI_wait("flow", DRI_XFER_NULL); }, DRI_ERR_STATE, {"DRI_start"}},
        {"test of what is not started",
         [=] {
             int done = 7;
             return DRI_test("flow", in, &done);
         },
         DRI_ERR_STATE,
         {"DRI_start"}},
        {"release of nothing", [=] { return DRI_release(in); }, DRI_ERR_STATE, {"holds no frame"}},
        {"a frame that is not inserted",
         [=] { return DRI_extract(in, nullptr, nullptr); },
         DRI_ERR_DEADLOCK,
         {"frame 0"}},
    };
    expect_refused(of_the_other_end);

    void *const first = buffer_of<void>(out), *const second = acquire(out);
    const WrongCalls with_all_held{
        {"a third buffer of two", [=] { return DRI_acquire(out, nullptr); }, DRI_ERR_DEADLOCK, {"all 2 buffers"}}};
    expect_refused(with_all_held);
    source.fill(second, 1);
    source.fill(first, 0);
    insert(out);
    insert(out);
    const WrongCalls with_none_held{
        {"a third frame",
         [=] { return DRI_insert(out, nullptr); },
         DRI_ERR_STATE,
         {"holds no buffer", "DRI_next"}},
        {"the same by DRI_do", [=] { return DRI_do(nullptr, out); }, DRI_ERR_STATE, {"holds no buffer"}},
        {"the same by DRI_start", [=] { return DRI_start("flow", out); }, DRI_ERR_STATE, {"holds no buffer"}},
        {"the buffer to fill",
         [=] {
             void *buffer = nullptr;
             return DRI_xfer_get_buffer(out, &buffer);
         },
         DRI_ERR_STATE,
         {"'flow'"}},
    };
    expect_refused(with_none_held);
    for (int64_t frame = 0; frame < 2; ++frame)
        EXPECT_EQ(sink.wrong(extract(in), frame), 0) << frame;
    source.fill(acquire(out), 2);
    insert(out);
    expect_refused({{"a third frame at once",
                     [=] { return DRI_extract(in, nullptr, nullptr); },
                     DRI_ERR_DEADLOCK,
                     {"all 2 buffers"}}});
    expect_success(DRI_do(nullptr, in), "DRI_do gives the oldest back");
    EXPECT_EQ(sink.wrong(buffer_of<void>(in), 2), 0);
    release(in);
    release(in);
    expect_refused({{"get_frame after all are given back",
                     [=] { return DRI_xfer_get_frame(in, nullptr, nullptr); },
                     DRI_ERR_STATE,
                     {"'flow'", "holds no frame"}}});

    acquire(out);
    expect_success(DRI_start("flow", DRI_XFER_NULL), "DRI_start");
    expect_refused({
        {"a second start", [=] { return DRI_start(nullptr, in); }, DRI_ERR_STATE, {"started already", "sink"}},
        {"a second start by name",
         [] { return DRI_start("flow", DRI_XFER_NULL); },
         DRI_ERR_STATE,
         {"started already"}},
    });
    expect_success(DRI_wait("flow", DRI_XFER_NULL), "DRI_wait");
}

TEST(WrongStream, WrongFramesAndStreamCallsAreRefused) {
    const std::vector<int> me{world().rank};
    const Strip source = *declare_strip("stream", DRI_SOURCE, me, 1),
                sink = *declare_strip("stream", DRI_SINK, me, 1);
    const Strip plain_source = *declare_strip("plain", DRI_SOURCE, me, 1),
                plain_sink = *declare_strip("plain", DRI_SINK, me, 1);
    const DRI_Xfer out = source.xfer, in = sink.xfer, plain = plain_source.xfer;
    expect_refused({
        {"streams of sinks",
         [=] { return DRI_xfer_set_attr(in, DRI_ATTR_STREAM, 1); },
         DRI_ERR_ARG,
         {"source", "sink"}},
        {"a stream of 2", [=] { return DRI_xfer_set_attr(out, DRI_ATTR_STREAM, 2); }, DRI_ERR_ARG, {"2"}},
        {"a close before the commit", [=] { return DRI_xfer_close(out); }, DRI_ERR_STATE, {"committed"}},
        {"a close of no endpoint", [] { return DRI_xfer_close(DRI_XFER_NULL); }, DRI_ERR_HANDLE, {"null"}},
    });
    expect_success(DRI_xfer_set_attr(out, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    commit(make_group(me));
    const auto insert_with = [](DRI_Xfer xfer, int32_t bytes, int32_t reserved) {
        return [=] {
            DRI_Frame frame{};
            frame.bytes = bytes;
            frame.reserved[2] = reserved;
            return DRI_insert(xfer, &frame);
        };
    };
    expect_refused({
        {"257 bytes", insert_with(out, 257, 0), DRI_ERR_ARG, {"257", "256"}},
        {"-1 bytes", insert_with(out, -1, 0), DRI_ERR_ARG, {"-1"}},
        {"a reserved word", insert_with(out, 0, 5), DRI_ERR_ARG, {"reserved", "5"}},
        {"a frame of no stream", insert_with(plain, 0, 0), DRI_ERR_STATE, {"'plain'", "DRI_ATTR_STREAM"}},
        {"a close of no stream",
         [=] { return DRI_xfer_close(plain); },
         DRI_ERR_STATE,
         {"'plain'", "DRI_ATTR_STREAM"}},
        {"a close by a sink", [=] { return DRI_xfer_close(in); }, DRI_ERR_ARG, {"DRI_xfer_close", "sink"}},
    });
    source.fill(buffer_of<void>(out), 0);
    expect_success(DRI_do("stream", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(sink.wrong(buffer_of<void>(in), 0), 0);
    EXPECT_EQ(next(out), buffer_of<void>(out));
    expect_success(DRI_xfer_close(out), "DRI_xfer_close");
    expect_refused({
        {"a second close", [=] { return DRI_xfer_close(out); }, DRI_ERR_STATE, {"'stream'", "closed"}},
        {"a frame after the close",
         [=] { return DRI_insert(out, nullptr); },
         DRI_ERR_STATE,
         {"closed after 1 frames"}},
        {"the same by DRI_do", [=] { return DRI_do(nullptr, out); }, DRI_ERR_STATE, {"closed after 1 frames"}},
        {"the buffer that is held after the close",
         [=] { return DRI_next(out, nullptr); },
         DRI_ERR_STATE,
         {"closed after 1 frames"}},
        {"a buffer after the close",
         [=] { return DRI_acquire(out, nullptr); },
         DRI_ERR_STATE,
         {"closed after 1 frames"}},
        {"by name, the sink is left",
         [] { return DRI_do("stream", DRI_XFER_NULL); },
         DRI_END_OF_STREAM,
         {"'stream'"}},
    });
}

} // namespace
} // namespace dri::test
