// Waits that last: their default timeout, and what the log says of them.
#include "support/long_waits.hpp"

#include <thread>

namespace dri::test {
namespace {

int count_of(const std::string &text, const std::string &word) {
    int count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

void set(const Line &line, DRI_Role role, DRI_Attr attribute, int64_t value) {
    if (const auto &endpoint = role == DRI_SOURCE ? line.source : line.sink)
        expect_success(DRI_xfer_set_attr(endpoint->xfer, attribute, value), "DRI_xfer_set_attr");
}

TEST(Settings, WrongNumbersOfSecondsAreRefused) {
    for (const auto &[name, wrong] :
         {std::pair("DRI_TIMEOUT", "-1"), std::pair("DRI_TIMEOUT", "1s"), std::pair("DRI_TIMEOUT", "1e3"),
          std::pair("DRI_TIMEOUT", "nan"), std::pair("DRI_TIMEOUT", "2147484"), std::pair("DRI_REPORT", "0"),
          std::pair("DRI_REPORT", "soon")}) {
        if (world().rank == 0)
            setenv(name, wrong, 1);
        EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_ERR_ARG) << name << "=" << wrong;
        expect_words(DRI_error_message(), {name, std::string("'") + wrong + "'"});
        unsetenv(name);
    }
}

// An attribute that the program sets wins, also the value 0.
TEST(Timeout, TheEnvironmentHasTheDefault) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const Started library({.timeout = "0.15"});
    const Line plain("plain", 0, last, {14, 9}), none("none", 0, last, {14, 9}), own("own", 0, last, {14, 9});
    set(none, DRI_SINK, DRI_ATTR_TIMEOUT_MS, 0);
    set(own, DRI_SINK, DRI_ATTR_TIMEOUT_MS, 20);
    commit(make_world());
    if (plain.sink) {
        const Seen by_default = see([&] { return DRI_extract(plain.sink->xfer, nullptr, nullptr); });
        EXPECT_EQ(by_default.code, DRI_ERR_TIMEOUT);
        EXPECT_GE(by_default.seconds, 0.15);
        EXPECT_EQ(by_default.log, "") << "the log is off";
        const Seen by_attribute = see([&] { return DRI_extract(own.sink->xfer, nullptr, nullptr); });
        EXPECT_EQ(by_attribute.code, DRI_ERR_TIMEOUT);
        EXPECT_GE(by_attribute.seconds, 0.02);
    }
    barrier();
    if (none.source)
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    none.insert_frame(0);
    none.take_frame(0);
    plain.insert_frame(0);
    plain.take_frame(0);
    own.insert_frame(0);
    own.take_frame(0);
    barrier();
}

// Two stages execute their source first, with one buffer each. On a node each sees what the other one waits for;
// by messages alone each asks the other one.
TEST(Report, TwoFacingStagesSayWhoWaitsForWhom) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    for (const char *ways : {all_ways, no_direct_way}) {
        const Started library({.timeout = "0.5", .report = "0.1", .ways = ways});
        const Line there("there", 0, last, large), back("back", last, 0, large);
        commit(make_world());
        barrier();
        if (rank == 0 || rank == last) {
            const Line &mine = rank == 0 ? there : back;
            const Seen seen = see([&] {
                int code = DRI_SUCCESS;
                for (int frame = 0; frame < 20 && code == DRI_SUCCESS; ++frame)
                    code = DRI_do(nullptr, mine.source->xfer);
                return code;
            });
            const int other = last - rank;
            EXPECT_EQ(seen.code, DRI_ERR_TIMEOUT) << DRI_error_message();
            expect_words(seen.log,
                         {"[warning]", rank == 0 ? "DRI_do: transfer 'there'" : "DRI_do: transfer 'back'",
                          process(other) + " has taken", "frame 0",
                          process(other) + " is in DRI_do: transfer '" + (rank == 0 ? "back'" : "there'"),
                          process(rank) + " has taken"});
            EXPECT_EQ(count_of(seen.log, "a wait lasts"), 1) << seen.log;
        }
        barrier();
    }
}

TEST(Report, TheOtherProcessIsInASetUpCallOrInNone) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    for (const char *ways : {all_ways, no_direct_way}) {
        const bool near = ways == all_ways && on_one_node();
        const Started library({.timeout = "0.4", .report = "0.1", .ways = ways}); // before an answer is given up
        const Line line("line", 0, last, {14, 9}), other("other", 0, last, {14, 9});
        set(other, DRI_SINK, DRI_ATTR_TIMEOUT_MS, 400);
        commit(make_world());
        barrier();
        const auto wait = [&](const Line &on) {
            return see([&] { return DRI_extract(on.sink->xfer, nullptr, nullptr); });
        };
        if (rank == last) {
            const Seen seen = wait(line);
            EXPECT_EQ(seen.code, DRI_ERR_TIMEOUT);
            expect_words(seen.log, {"DRI_extract: transfer 'line': the sink of " + process(last) +
                                        " waits for frame 0 of " + process(0),
                                    near ? process(0) + " waits in no call of the library"
                                         : process(0) + " has not answered"});
        }
        barrier();
        const Group all = make_world();
        if (rank == last)
            expect_words(wait(other).log, {process(0) + " is in DRI_commit over the processes 0"});
        commit(all);
        line.insert_frame(0);
        line.take_frame(0);
        barrier();
    }
}

} // namespace
} // namespace dri::test
