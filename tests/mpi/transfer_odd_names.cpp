// Names of transfers with bytes that do not print. They work like other names; messages and texts show them
// escaped.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

TEST(OddNames, WorkAndAreShownEscaped) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({9, 7}), make_blocks(2, 0), all),
               columns = make_dist(make_gdo({9, 7}), make_blocks(2, 1), all);
    for (const auto &[name, shown] : {std::pair<std::string, std::string>{"a\x1B[2J\nb", "a\\x1B[2J\\x0Ab"},
                                      {"\xFF\xFE", "\\xFF\\xFE"},
                                      {"\u00fcber", "\u00fcber"}}) {
        const Xfer source = make_xfer(name, DRI_SOURCE, rows);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_UNMATCHED);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("'" + shown + "'"), std::string::npos) << message;
        const Xfer sink = make_xfer(name, DRI_SINK, columns);
        commit(all);
        EXPECT_EQ(DRI_do(name.c_str(), DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(explain(sink).rfind("transfer '" + shown + "', sink", 0), 0u) << explain(sink);
        EXPECT_EQ(DRI_do((name + "\x02").c_str(), DRI_XFER_NULL), DRI_ERR_ARG);
        const std::string unknown = DRI_error_message();
        EXPECT_NE(unknown.find(shown + "\\x02'"), std::string::npos) << unknown;
    }
}

// What a call that fails says of the transfer.
constexpr const char *odd_name = "a\x1B[2J\nb";
void expect_escaped(int code, int expected, const char *words) {
    const std::string message = DRI_error_message();
    EXPECT_EQ(code, expected) << message;
    EXPECT_NE(message.find("'a\\x1B[2J\\x0Ab'"), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of("\x1B\n"), std::string::npos) << message;
}

TEST(OddNames, AreEscapedWhereACallIsRefused) {
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({12}), make_blocks(1, 0), all);
    const Xfer source = make_xfer(odd_name, DRI_SOURCE, dist), sink = make_xfer(odd_name, DRI_SINK, dist);
    commit(all);
    expect_escaped(DRI_do(nullptr, sink), DRI_ERR_DEADLOCK, "or the source first");
    expect_escaped(DRI_release(sink), DRI_ERR_STATE, "holds no frame");
    expect_escaped(DRI_wait(nullptr, sink), DRI_ERR_STATE, "no frame is started");
    expect_escaped(DRI_xfer_close(source), DRI_ERR_STATE, "is not a stream");
    DRI_Frame frame{};
    expect_escaped(DRI_xfer_get_frame(sink, nullptr, &frame), DRI_ERR_STATE, "holds no frame");
}

TEST(OddNames, AreEscapedInTimeouts) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "a process does not wait for itself";
    Xfer mine;
    if (world().rank == 0 || world().rank == last) {
        const DRI_Role role = world().rank == 0 ? DRI_SOURCE : DRI_SINK;
        mine = make_xfer(odd_name, role, make_dist(make_gdo({12}), make_blocks(1, 0), make_group({world().rank})));
        expect_success(DRI_xfer_set_attr(mine, DRI_ATTR_TIMEOUT_MS, role == DRI_SINK ? 20 : 60000),
                       "DRI_xfer_set_attr");
    }
    commit(make_world());
    if (world().rank == last)
        expect_escaped(DRI_do(nullptr, mine), DRI_ERR_TIMEOUT, "in time");
    MPI_Barrier(MPI_COMM_WORLD); // the source does nothing before
    if (world().rank == 0)
        expect_success(DRI_do(nullptr, mine), "DRI_do");
    while (world().rank == last && DRI_do(nullptr, mine) == DRI_ERR_TIMEOUT)
        continue;
}

} // namespace
} // namespace dri::test
