// Waits that last: their default timeout, what the log says of them, and processes that end meanwhile. The last
// test kills a process. Therefore MPI cannot be finalised, and this program has a main function of its own. mpirun
// hides its result: the test looks for the last line.
#include "support/line.hpp"

#include <dri/dri_mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace dri::test {
namespace {

using Clock = std::chrono::steady_clock;

bool one_is_killed = false;

// The environment of one start of the library. Null: unset.
struct Settings {
    const char *timeout = nullptr, *report = nullptr, *ways = nullptr, *setup_timeout = nullptr;
};

void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

class Started {
public:
    explicit Started(const Settings &settings) {
        set("DRI_TIMEOUT", settings.timeout);
        set("DRI_REPORT", settings.report);
        set("DRI_WAYS", settings.ways);
        set("DRI_SETUP_TIMEOUT", settings.setup_timeout);
        EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    }
    ~Started() { EXPECT_EQ(DRI_finalize(), one_is_killed ? DRI_ERR_PEER : DRI_SUCCESS) << DRI_error_message(); }
    Started(const Started &) = delete;
    Started &operator=(const Started &) = delete;
};

std::string process(int rank) { return "process " + std::to_string(rank); }

void expect_words(const std::string &text, const std::vector<std::string> &words) {
    for (const std::string &word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

int count_of(const std::string &text, const std::string &word) {
    int count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

// What a call returns, how long it takes, and what the log says meanwhile.
struct Seen {
    int code = 0;
    double seconds = 0;
    std::string log;
};
template <class Call> Seen see(Call call) {
    testing::internal::CaptureStderr();
    const auto begin = Clock::now();
    Seen seen;
    seen.code = call();
    seen.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    seen.log = testing::internal::GetCapturedStderr();
    return seen;
}

void set(const Line &line, DRI_Role role, DRI_Attr attribute, int64_t value) {
    if (const auto &endpoint = role == DRI_SOURCE ? line.source : line.sink)
        expect_success(DRI_xfer_set_attr(endpoint->xfer, attribute, value), "DRI_xfer_set_attr");
}

constexpr StripShape large{700, 400};
constexpr const char *all_ways = "self,direct,message", *no_direct_way = "self,message";

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

// A frame that lies in the memory of the user, where the sink's process reads it.
struct InUsersMemory {
    Xfer source, sink;

    InUsersMemory(const char *name, int from, int to, std::vector<float> &memory) {
        const int rank = world().rank;
        if (rank != from && rank != to)
            return;
        const Dist dist =
            make_dist(make_gdo({std::ssize(memory)}), make_blocks(1, 0), make_group({rank == from ? from : to}));
        void *const buffers[] = {memory.data()};
        if (rank == to)
            sink = make_xfer(name, DRI_SINK, dist);
        else
            expect_success(DRI_xfer_create(name, DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, buffers, source.out()),
                           "DRI_xfer_create");
    }
    // Otherwise the frame is in shared memory. Known to all processes.
    bool is_read_there(int from) const {
        DRI_Xfer_info info{};
        if (world().rank == from)
            expect_success(DRI_xfer_get_info(source, &info), "DRI_xfer_get_info");
        MPI_Bcast(&info.workspace_bytes, 1, MPI_INT64_T, from, MPI_COMM_WORLD);
        return info.workspace_bytes == 0;
    }
};

// The same, read by the second process and the last one. With fewer than three processes there are none.
struct TwoReaders {
    Xfer source, sink;

    TwoReaders(const char *name, int last, std::vector<float> &memory) {
        const int rank = world().rank;
        if (last < 2 || (rank != 0 && rank != 1 && rank != last))
            return;
        const Group group = rank == 0 ? make_group({0}) : make_group({1, last});
        const Dist dist = make_dist(make_gdo({std::ssize(memory)}), make_blocks(1, 0), group);
        void *const buffers[] = {memory.data()};
        if (rank != 0)
            sink = make_xfer(name, DRI_SINK, dist);
        else
            expect_success(DRI_xfer_create(name, DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, buffers, source.out()),
                           "DRI_xfer_create");
    }
};

// All that the library does for a process that ends between two frames.
TEST(Peer, AProcessThatIsKilledIsReported) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    one_is_killed = true;
    const Started library({.timeout = "20", .setup_timeout = "20"});
    const auto in_time = [&](const Seen &seen, const char *what) {
        EXPECT_EQ(seen.code, DRI_ERR_PEER) << what << ": " << DRI_error_message();
        expect_words(DRI_error_message(), {process(last) + " is gone"});
        EXPECT_LT(seen.seconds, 3) << what;
    };
    struct Turn {
        const char *name;
        int64_t ways;
        std::optional<Strip> source, sink;
    };
    std::vector<float> memory(size_t{1} << 18);
    InUsersMemory theirs("theirs", last, 0, memory), ours("ours", 0, last, memory);
    std::vector<Turn> turns;
    turns.push_back({"direct", DRI_WAY_SELF | DRI_WAY_DIRECT | DRI_WAY_MESSAGE, {}, {}});
    turns.push_back({"self", DRI_WAY_SELF | DRI_WAY_MESSAGE, {}, {}});
    turns.push_back({"message", DRI_WAY_MESSAGE, {}, {}});
    turns.push_back({"polled", DRI_WAY_SELF | DRI_WAY_DIRECT | DRI_WAY_MESSAGE, {}, {}});
    std::vector<std::unique_ptr<Line>> lines;
    for (Turn &turn : turns) {
        turn.source = declare_strip(turn.name, DRI_SOURCE, all_ranks(), 1, large);
        turn.sink = declare_strip(turn.name, DRI_SINK, all_ranks(), 1, large);
        lines.push_back(std::make_unique<Line>(std::string("line ") + turn.name, 0, last, large));
        lines.back()->set(DRI_ATTR_WAYS, turn.ways);
        for (const DRI_Xfer xfer : {DRI_Xfer(turn.source->xfer), DRI_Xfer(turn.sink->xfer)})
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_WAYS, turn.ways), "DRI_xfer_set_attr");
    }
    // Each wait for it is so short that it ends before anybody looks.
    const Line brief("brief", last, 0, large);
    brief.set(DRI_ATTR_TIMEOUT_MS, 2);
    TwoReaders both("both", last, memory);
    // Halos in memory that the neighbours read. The killed process is read, or only reads.
    const auto declare_halo = [&](const char *name, int64_t right) {
        const Dist dist = make_dist(
            make_gdo({3 * world().size}),
            make_part(
                {{.kind = DRI_BLOCK, .left = 1, .right = right, .left_edge = right ? DRI_WRAP : DRI_TRUNCATE}}),
            make_world());
        std::array<Xfer, 2> ends{make_xfer(name, DRI_SOURCE, dist), make_xfer(name, DRI_SINK, dist)};
        for (const DRI_Xfer end : {ends[0].get(), ends[1].get()})
            expect_success(DRI_xfer_set_attr(end, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
        return ends;
    };
    const auto ring = declare_halo("ring", 1), chain = declare_halo("chain", 0);
    commit(make_world());
    for (const char *halo : {"ring", "chain"})
        expect_success(DRI_do(halo, DRI_XFER_NULL), "DRI_do");
    for (const Turn &turn : turns) { // one good frame
        turn.source->fill(buffer_of<void>(turn.source->xfer), 0);
        expect_success(DRI_do(turn.name, DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(turn.sink->wrong(buffer_of<void>(turn.sink->xfer), 0), 0);
    }
    const bool is_read = theirs.is_read_there(last);
    if (rank == last)
        insert(theirs.source);
    for (const DRI_Xfer source : {ours.source.get(), both.source.get()})
        if (rank == 0 && source.id)
            insert(source);
    const Group all = make_world();
    barrier();
    if (rank == last)
        std::raise(SIGKILL);
    for (const Turn &turn : turns) {
        in_time(see([&] {
                    int code = DRI_SUCCESS, done = 0;
                    if (turn.name != std::string("polled"))
                        return DRI_do(turn.name, DRI_XFER_NULL);
                    expect_success(DRI_start(turn.name, DRI_XFER_NULL), "DRI_start");
                    while (code == DRI_SUCCESS && !done) // the sink needs the killed process
                        code = DRI_try_extract(turn.sink->xfer, nullptr, nullptr, &done);
                    return code;
                }),
                turn.name);
        EXPECT_EQ(DRI_do(turn.name, DRI_XFER_NULL), DRI_ERR_STATE) << "the transfer is broken";
    }
    for (const char *halo : {"ring", "chain"})
        if (rank == last - 1)
            in_time(see([&] { return DRI_do(halo, DRI_XFER_NULL); }), halo);
    if (rank == 0) {
        if (is_read)
            in_time(see([&] { return DRI_extract(theirs.sink, nullptr, nullptr); }),
                    "a frame in the other's memory");
        const Seen destroyed = see([&] { return ours.source.reset(); });
        EXPECT_EQ(destroyed.code, DRI_SUCCESS) << DRI_error_message();
        EXPECT_LT(destroyed.seconds, 3);
        in_time(see([&] {
                    int code = DRI_ERR_TIMEOUT;
                    while (code == DRI_ERR_TIMEOUT)
                        code = DRI_do(nullptr, brief.sink->xfer);
                    return code;
                }),
                "many short waits");
    }
    // The source waits for the reader that is left, and not for the other one.
    if (both.source.get().id) {
        EXPECT_EQ(see([&] { return both.source.reset(); }).code, DRI_SUCCESS) << DRI_error_message();
    }
    if (rank == 1 && both.sink.get().id) {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        extract(both.sink);
    }
    for (size_t i = 0; rank == 0 && i < lines.size(); ++i)
        in_time(see([&] {
                    int code = DRI_SUCCESS;
                    for (int frame = 0; frame < 20 && code == DRI_SUCCESS; ++frame)
                        code = DRI_do(nullptr, lines[i]->source->xfer);
                    return code;
                }),
                "a source");
    in_time(see([&] { return DRI_commit(all); }), "DRI_commit");
    const auto begin = Clock::now();
    for (Turn &turn : turns) {
        EXPECT_EQ(turn.source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(turn.sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
    }
    lines.clear();
    // The others go on among themselves.
    const Line rest("rest", 0, last - 1, large);
    commit(make_group(ranks(last)));
    rest.insert_frame(5);
    rest.take_frame(5);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3));
}

// The processes that are left report to the first one.
int outcome_of_survivors(int mine) {
    const auto [rank, size] = world();
    int any = mine;
    for (int other = 1; rank == 0 && other < size - 1; ++other) {
        int theirs = 0;
        MPI_Recv(&theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        any = any ? any : theirs;
    }
    if (rank != 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return any;
}

} // namespace
} // namespace dri::test

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    testing::InitGoogleTest(&argc, argv);
    const int mine = RUN_ALL_TESTS(), any = dri::test::outcome_of_survivors(mine);
    if (dri::test::world().rank == 0)
        std::printf("%s\n", any ? "a process has failed" : "all processes that are left have passed");
    std::fflush(nullptr);
    _exit(any);
}
