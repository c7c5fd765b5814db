// Wrong local calls on endpoints: declaring, querying, executing.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <array>
#include <chrono>

namespace dri::test {
namespace {

// Every process has its own 6 x 4 doubles.
class WrongXfer : public testing::Test {
protected:
    Group alone_ = make_group({world().rank});
    Dist dist_ = make_dist(make_gdo({6, 4}, DRI_DOUBLE), make_blocks(2, 0), alone_);
    alignas(64) static inline std::array<std::byte, 1024> memory;

    std::function<int()> create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                                const std::vector<size_t> &offsets = {}) {
        return makes<DRI_Xfer>([=](DRI_Xfer *out) {
            std::vector<void *> buffs;
            for (size_t at : offsets)
                buffs.push_back(memory.data() + at);
            return DRI_xfer_create(name, role, dist, layout, nbuffs, offsets.empty() ? nullptr : buffs.data(),
                                   out);
        });
    }
};

TEST_F(WrongXfer, DeclarationsAreRefused) {
    const DRI_Dist d = dist_;
    const int64_t colliding[2]{1, 1}, single[1]{1}, huge[2]{int64_t{1} << 60, 1};
    Layout bad, flat, wide;
    EXPECT_EQ(DRI_layout_create(2, colliding, bad.out()), DRI_SUCCESS);
    EXPECT_EQ(DRI_layout_create(1, single, flat.out()), DRI_SUCCESS);
    EXPECT_EQ(DRI_layout_create(2, huge, wide.out()), DRI_SUCCESS);
    Dist gone = make_dist(make_gdo({6}), make_blocks(1, 0), alone_);
    const DRI_Dist old = gone;
    gone.reset();
    static const std::string too_long(128, 'x');
    const char *const long_name = too_long.c_str();
    const DRI_Layout rows = DRI_ROW_MAJOR;
    const WrongCalls table{
        {"no name", create(nullptr, DRI_SOURCE, d, rows, 1), DRI_ERR_ARG, {"name"}},
        {"an empty name", create("", DRI_SOURCE, d, rows, 1), DRI_ERR_ARG, {"name", "empty"}},
        {"a name of 128 bytes", create(long_name, DRI_SOURCE, d, rows, 1), DRI_ERR_ARG, {"name", "127"}},
        {"role 0", create("a", static_cast<DRI_Role>(0), d, rows, 1), DRI_ERR_ARG, {"role", "0"}},
        {"role 3", create("a", static_cast<DRI_Role>(3), d, rows, 1), DRI_ERR_ARG, {"role", "3"}},
        {"null distribution", create("a", DRI_SINK, {}, rows, 1), DRI_ERR_HANDLE, {"distribution"}},
        {"a group for a distribution",
         create("a", DRI_SINK, as<DRI_Dist>(alone_.get()), rows, 1),
         DRI_ERR_HANDLE,
         {"distribution", "group"}},
        {"a destroyed distribution", create("a", DRI_SINK, old, rows, 1), DRI_ERR_HANDLE, {"distribution"}},
        {"null layout", create("a", DRI_SINK, d, {}, 1), DRI_ERR_HANDLE, {"layout"}},
        {"a distribution for a layout",
         create("a", DRI_SINK, d, as<DRI_Layout>(d), 1),
         DRI_ERR_HANDLE,
         {"layout"}},
        {"a layout of one dimension", create("a", DRI_SINK, d, flat, 1), DRI_ERR_ARG, {"1", "2", "dimension"}},
        {"two elements in one place", create("a", DRI_SINK, d, bad, 1), DRI_ERR_ARG, {"one address", "1,1"}},
        {"a buffer beyond 64 bits", create("a", DRI_SINK, d, wide, 1), DRI_ERR_OVERFLOW, {}},
        {"no buffers", create("a", DRI_SINK, d, rows, 0), DRI_ERR_ARG, {"nbuffs", "0"}},
        {"-1 buffers", create("a", DRI_SINK, d, rows, -1), DRI_ERR_ARG, {"nbuffs", "-1"}},
        {"too many buffers",
         create("a", DRI_SINK, d, rows, DRI_MAX_BUFFERS + 1),
         DRI_ERR_ARG,
         {"nbuffs is 1048577", "1 to 1048576"}},
        {"as many buffers as int has",
         create("a", DRI_SINK, d, rows, std::numeric_limits<int>::max()),
         DRI_ERR_ARG,
         {"nbuffs is 2147483647"}},
        {"the same buffer twice",
         create("a", DRI_SINK, d, rows, 2, {0, 0}),
         DRI_ERR_ARG,
         {"buffs[0]", "buffs[1]"}},
        {"buffers that overlap by their end and start",
         create("a", DRI_SINK, d, rows, 3, {0, 384, 184}),
         DRI_ERR_ARG,
         {"buffs[0]", "buffs[2]", "192"}},
        {"a buffer that is not aligned",
         create("a", DRI_SINK, d, rows, 2, {0, 204}),
         DRI_ERR_ARG,
         {"buffs[1]", "8"}},
        {"no output for the handle",
         [=] { return DRI_xfer_create("a", DRI_SINK, d, rows, 1, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"xfer"}},
    };
    expect_refused(table);
    void *const neighbours[]{memory.data(), memory.data() + 192};
    Xfer fine;
    expect_success(DRI_xfer_create("a", DRI_SINK, d, rows, 2, neighbours, fine.out()), "DRI_xfer_create");
}

TEST_F(WrongXfer, TheLongestNameIsAccepted) {
    const std::string longest(DRI_MAX_NAME, 'y');
    const Xfer source = make_xfer(longest, DRI_SOURCE, dist_), sink = make_xfer(longest, DRI_SINK, dist_);
    commit(alone_);
    expect_success(DRI_do(longest.c_str(), DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongXfer, AnEndpointIsCommittedOnce) {
    Xfer source = make_xfer("once", DRI_SOURCE, dist_), again = make_xfer("once", DRI_SOURCE, dist_);
    Xfer sink = make_xfer("once", DRI_SINK, dist_);
    const DRI_Group alone = alone_;
    const auto commits = [=] { return DRI_commit(alone); };
    expect_refused(
        {{"two sources", commits, DRI_ERR_MISMATCH, {"'once'", "two sources", "double [", "DRI_commit_ends"}}});
    again.reset();
    commit(alone_);
    const auto expect_old_is_there = [&](const char *what, DRI_Role role, const char *old) {
        const Xfer more = make_xfer("once", role, dist_);
        expect_refused({{what, commits, DRI_ERR_STATE, {old, "'once'", "committed", "destroy it"}}});
    };
    expect_old_is_there("a committed source again", DRI_SOURCE, "source");
    expect_old_is_there("a committed sink again", DRI_SINK, "source");
    // While one endpoint of the old transfer exists, DRI_do could not tell it from a new transfer of that name.
    EXPECT_EQ(source.reset(), DRI_SUCCESS);
    expect_old_is_there("a source while the old sink is there", DRI_SOURCE, "sink");
    EXPECT_EQ(sink.reset(), DRI_SUCCESS);
    source = make_xfer("once", DRI_SOURCE, dist_);
    sink = make_xfer("once", DRI_SINK, dist_);
    commit(alone_);
    buffer_of<double>(source)[5] = 7;
    expect_success(DRI_do("once", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(buffer_of<double>(sink)[5], 7);
}

TEST_F(WrongXfer, ManyBuffersAreComparedQuickly) {
    constexpr size_t n = 200000;
    std::vector<double> storage(24 * n);
    std::vector<void *> buffs;
    for (size_t i = 0; i < n; ++i)
        // in mixed order; 7919 has no divisor in common with n
        buffs.push_back(storage.data() + 24 * ((i * 7919) % n));
    const auto begin = std::chrono::steady_clock::now();
    Xfer fine;
    expect_success(DRI_xfer_create("many", DRI_SINK, dist_, DRI_ROW_MAJOR, n, buffs.data(), fine.out()),
                   "DRI_xfer_create");
    EXPECT_EQ(fine.reset(), DRI_SUCCESS);
    buffs[n - 3] = static_cast<double *>(buffs[11]) + 23;
    const DRI_Dist d = dist_;
    expect_refused({{"two of very many buffers share an element",
                     makes<DRI_Xfer>([&](DRI_Xfer *out) {
                         return DRI_xfer_create("many", DRI_SINK, d, DRI_ROW_MAJOR, n, buffs.data(), out);
                     }),
                     DRI_ERR_ARG,
                     {"buffs[199997]", "share memory"}}});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

auto set_attr(DRI_Xfer xfer, int attr, int64_t value) {
    return [=] { return DRI_xfer_set_attr(xfer, static_cast<DRI_Attr>(attr), value); };
}

TEST_F(WrongXfer, AttributesAreRefused) {
    const Xfer source = make_xfer("attributes", DRI_SOURCE, dist_),
               sink = make_xfer("attributes", DRI_SINK, dist_);
    const DRI_Xfer x = source;
    const int64_t max = int64_t{1} << 30;
    const WrongCalls table{
        {"attribute 0", set_attr(x, 0, 1), DRI_ERR_ARG, {"0"}},
        {"attribute 100", set_attr(x, 100, 1), DRI_ERR_ARG, {"100"}},
        {"no way", set_attr(x, DRI_ATTR_WAYS, 0), DRI_ERR_ARG, {"0"}},
        {"no messages", set_attr(x, DRI_ATTR_WAYS, DRI_WAY_SELF), DRI_ERR_ARG, {"1"}},
        {"no messages, but direct", set_attr(x, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_DIRECT), DRI_ERR_ARG, {"5"}},
        {"a fourth way", set_attr(x, DRI_ATTR_WAYS, 8 | DRI_WAY_MESSAGE), DRI_ERR_ARG, {"10", "1 to 7"}},
        {"an unknown way", set_attr(x, DRI_ATTR_WAYS, int64_t{1} << 40), DRI_ERR_ARG, {}},
        {"a negative sum of ways", set_attr(x, DRI_ATTR_WAYS, -1), DRI_ERR_ARG, {"-1"}},
        {"messages of 0 bytes", set_attr(x, DRI_ATTR_MESSAGE_BYTES, 0), DRI_ERR_ARG, {"0"}},
        {"messages of -1 bytes", set_attr(x, DRI_ATTR_MESSAGE_BYTES, -1), DRI_ERR_ARG, {"-1"}},
        {"messages of 255 bytes",
         set_attr(x, DRI_ATTR_MESSAGE_BYTES, 255),
         DRI_ERR_ARG,
         {"255", "256 to 1073741824"}},
        {"messages that are too large", set_attr(x, DRI_ATTR_MESSAGE_BYTES, max + 1), DRI_ERR_ARG, {"1073741825"}},
        {"no thread", set_attr(x, DRI_ATTR_THREADS, 0), DRI_ERR_ARG, {"DRI_ATTR_THREADS", "0", "1 to 1024"}},
        {"-1 threads", set_attr(x, DRI_ATTR_THREADS, -1), DRI_ERR_ARG, {"-1"}},
        {"too many threads", set_attr(x, DRI_ATTR_THREADS, 1025), DRI_ERR_ARG, {"1025"}},
        {"shares of nothing", set_attr(x, DRI_ATTR_SHARE_BYTES, 0), DRI_ERR_ARG, {"DRI_ATTR_SHARE_BYTES", "0"}},
        {"shares that are too large",
         set_attr(x, DRI_ATTR_SHARE_BYTES, (int64_t{1} << 40) + 1),
         DRI_ERR_ARG,
         {"1099511627777"}},
        {"an unknown planning", set_attr(x, DRI_ATTR_PLAN, 2), DRI_ERR_ARG, {"DRI_ATTR_PLAN is 2", "0 to 1"}},
        {"planning -1", set_attr(x, DRI_ATTR_PLAN, -1), DRI_ERR_ARG, {"DRI_ATTR_PLAN is -1"}},
        {"a limit of -1 bytes",
         set_attr(x, DRI_ATTR_WORKSPACE_LIMIT, -1),
         DRI_ERR_ARG,
         {"DRI_ATTR_WORKSPACE_LIMIT is -1", "4611686018427387904"}},
        {"a limit that is too large",
         set_attr(x, DRI_ATTR_WORKSPACE_LIMIT, largest),
         DRI_ERR_ARG,
         {"9223372036854775807"}},
        {"of null", set_attr({}, DRI_ATTR_MESSAGE_BYTES, 1), DRI_ERR_HANDLE, {}},
        {"of a group", set_attr(as<DRI_Xfer>(alone_.get()), DRI_ATTR_MESSAGE_BYTES, 1), DRI_ERR_HANDLE, {}},
    };
    expect_refused(table);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_MESSAGE_BYTES, 256), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_MESSAGE_BYTES, max), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_THREADS, 1024), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_THREADS, 1), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_SHARE_BYTES, 1), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_SHARE_BYTES, int64_t{1} << 40), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_WORKSPACE_LIMIT, 0), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_WORKSPACE_LIMIT, int64_t{1} << 62), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_PLAN, DRI_MEASURE), DRI_SUCCESS);
    EXPECT_EQ(DRI_xfer_set_attr(x, DRI_ATTR_PLAN, DRI_ESTIMATE), DRI_SUCCESS);
    commit(alone_);
    expect_refused({
        {"after the commit", set_attr(x, DRI_ATTR_MESSAGE_BYTES, 1000), DRI_ERR_STATE, {"'attributes'"}},
        {"a limit after the commit", set_attr(x, DRI_ATTR_WORKSPACE_LIMIT, 100), DRI_ERR_STATE, {"'attributes'"}},
        {"planning after the commit", set_attr(x, DRI_ATTR_PLAN, DRI_MEASURE), DRI_ERR_STATE, {"'attributes'"}},
    });
}

// All calls that need a handle.
WrongCalls calls_on(DRI_Xfer x, int code, const std::vector<std::string> &words) {
    return {
        {"get_buffer",
         [=] {
             void *buffer = nullptr;
             return DRI_xfer_get_buffer(x, &buffer);
         },
         code, words},
        {"get_buffers", [=] { return DRI_xfer_get_buffers(x, nullptr, nullptr); }, code, words},
        {"keep_buffers",
         [=] {
             DRI_Kept *kept = nullptr;
             return DRI_xfer_keep_buffers(x, &kept);
         },
         code, words},
        {"get_view",
         [=] {
             DRI_View view;
             return DRI_xfer_get_view(x, &view);
         },
         code, words},
        {"get_info",
         [=] {
             DRI_Xfer_info info;
             return DRI_xfer_get_info(x, &info);
         },
         code, words},
        {"get_times",
         [=] {
             DRI_Frame_times times;
             int n = 0;
             return DRI_xfer_get_times(x, 1, &times, &n);
         },
         code, words},
        {"get_peers",
         [=] {
             DRI_Peer peer;
             int n = 0;
             return DRI_xfer_get_peers(x, 1, &peer, &n);
         },
         code, words},
        {"explain",
         [=] {
             char text[100];
             return DRI_xfer_explain(x, text, sizeof text);
         },
         code, words},
        {"do", [=] { return DRI_do(nullptr, x); }, x.id == 0 ? int{DRI_ERR_ARG} : code,
         x.id == 0 ? std::vector<std::string>{} : words},
    };
}

TEST_F(WrongXfer, HandlesAreRefused) {
    Xfer gone = make_xfer("gone", DRI_SOURCE, dist_);
    const DRI_Xfer old = gone;
    EXPECT_EQ(gone.reset(), DRI_SUCCESS);
    for (const DRI_Xfer bad : {DRI_XFER_NULL, as<DRI_Xfer>(dist_.get()), old, DRI_Xfer{~uint64_t{0}}}) {
        WrongCalls table = calls_on(bad, DRI_ERR_HANDLE, {});
        table.push_back({"buffer_bytes",
                         [=] {
                             size_t bytes = 0;
                             return DRI_xfer_buffer_bytes(bad, &bytes);
                         },
                         DRI_ERR_HANDLE,
                         {}});
        table.push_back({"set_attr", set_attr(bad, DRI_ATTR_MESSAGE_BYTES, 1), DRI_ERR_HANDLE, {}});
        table.push_back({"destroy", destroys(bad, DRI_xfer_destroy), DRI_ERR_HANDLE, {}});
        expect_refused(table);
    }
    expect_refused({
        {"destroying NULL", [] { return DRI_xfer_destroy(nullptr); }, DRI_ERR_ARG, {"xfer"}},
        {"a destroyed endpoint by name", [] { return DRI_do("gone", DRI_XFER_NULL); }, DRI_ERR_ARG, {"'gone'"}},
        {"a name that was not declared",
         [] { return DRI_do("nobody", DRI_XFER_NULL); },
         DRI_ERR_ARG,
         {"'nobody'"}},
        {"no name and no handle", [] { return DRI_do(nullptr, DRI_XFER_NULL); }, DRI_ERR_ARG, {"name"}},
    });
}

TEST_F(WrongXfer, CallsBeforeTheCommitAreRefused) {
    const Xfer source = make_xfer("early", DRI_SOURCE, dist_), sink = make_xfer("early", DRI_SINK, dist_);
    expect_refused(calls_on(source, DRI_ERR_STATE, {"'early'"}));
    expect_refused(calls_on(sink, DRI_ERR_STATE, {"'early'"}));
    expect_refused({{"do by name", [] { return DRI_do("early", DRI_XFER_NULL); }, DRI_ERR_STATE, {"'early'"}}});
    size_t bytes = 0;
    EXPECT_EQ(DRI_xfer_buffer_bytes(source, &bytes), DRI_SUCCESS) << "also before the commit";
    EXPECT_EQ(bytes, 6u * 4 * 8);
    commit(alone_);
    expect_success(DRI_do("early", DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongXfer, CallsAfterTheCommitAreRefused) {
    const Xfer source = make_xfer("late", DRI_SOURCE, dist_), sink = make_xfer("late", DRI_SINK, dist_);
    commit(alone_);
    const DRI_Xfer out = source, in = sink;
    expect_refused({
        {"a sink's buffer before its first frame",
         [=] {
             void *buffer = nullptr;
             return DRI_xfer_get_buffer(in, &buffer);
         },
         DRI_ERR_STATE,
         {"'late'"}},
        {"no output for the buffer", [=] { return DRI_xfer_get_buffer(out, nullptr); }, DRI_ERR_ARG, {"buf"}},
        {"no output for what is kept", [=] { return DRI_xfer_keep_buffers(out, nullptr); }, DRI_ERR_ARG, {"kept"}},
        {"no output for the bytes", [=] { return DRI_xfer_buffer_bytes(out, nullptr); }, DRI_ERR_ARG, {"bytes"}},
        {"no output for the counters", [=] { return DRI_xfer_get_info(out, nullptr); }, DRI_ERR_ARG, {"info"}},
        {"no output for the times",
         [=] {
             int n = 0;
             return DRI_xfer_get_times(out, 1, nullptr, &n);
         },
         DRI_ERR_ARG,
         {"times"}},
        {"-1 times",
         [=] {
             int n = 0;
             return DRI_xfer_get_times(out, -1, nullptr, &n);
         },
         DRI_ERR_ARG,
         {"capacity", "-1"}},
        {"no output for the number of times",
         [=] { return DRI_xfer_get_times(out, 0, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"n is"}},
        {"no output for the peers",
         [=] {
             int n = 0;
             return DRI_xfer_get_peers(out, 1, nullptr, &n);
         },
         DRI_ERR_ARG,
         {"peers"}},
        {"-1 peers",
         [=] {
             int n = 0;
             return DRI_xfer_get_peers(out, -1, nullptr, &n);
         },
         DRI_ERR_ARG,
         {"capacity", "-1"}},
        {"no output for the number of peers",
         [=] { return DRI_xfer_get_peers(out, 0, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"n is"}},
        {"no output for the text", [=] { return DRI_xfer_explain(out, nullptr, 10); }, DRI_ERR_ARG, {"text"}},
        {"a place of 0 bytes for the text",
         [=] {
             char text[4];
             return DRI_xfer_explain(out, text, 0);
         },
         DRI_ERR_ARG,
         {}},
        {"the handle of another name", [=] { return DRI_do("early", out); }, DRI_ERR_ARG, {"'late'", "'early'"}},
    });
}

} // namespace
} // namespace dri::test
