// Processes that end without DRI_finalize. A test kills one: as one of its node, or with DRI_WAYS=self,message in
// the environment as one of another node. Therefore MPI cannot be finalised, and this program has a main function
// of its own. mpirun hides its result: the test looks for the last line.
#include "support/long_waits.hpp"

#include <csignal>
#include <cstdio>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

namespace dri::test {
namespace {

const bool by_messages = std::getenv("DRI_WAYS") != nullptr; // how the program was started

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

// Those that are left move a frame.
void the_others_go_on() {
    const int last = world().size - 1;
    const Line rest("rest", 0, last - 1, large);
    commit(make_group(ranks(last)));
    rest.insert_frame(5);
    rest.take_frame(5);
}

// The last process ends. Returns on the others, once the system knows it.
void kill_last() {
    int number = getpid();
    MPI_Bcast(&number, 1, MPI_INT, world().size - 1, MPI_COMM_WORLD);
    barrier();
    if (world().rank == world().size - 1)
        std::raise(SIGKILL);
    for (bool runs = true; runs;) {
        std::string word, state;
        int threads = 0;
        std::ifstream status("/proc/" + std::to_string(number) + "/status");
        while (status >> word)
            if (word == "State:")
                status >> state;
            else if (word == "Threads:")
                status >> threads;
        runs = threads > 1 || (!state.empty() && state != "Z" && state != "X"); // it may wait for its parent
    }
}

// All that the library does for a process that ends between two frames.
TEST(Peer, AProcessThatIsKilledIsReported) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0 || by_messages)
        GTEST_SKIP() << "needs two processes that see each other";
    Started library({.timeout = "20", .report = "0.02", .setup_timeout = "20"});
    library.expected_end = DRI_ERR_PEER;
    double fastest = 20;
    const auto in_time = [&](const Seen &seen, const char *what) {
        EXPECT_EQ(seen.code, DRI_ERR_PEER) << what << ": " << DRI_error_message();
        expect_words(DRI_error_message(), {process(last) + " is gone"});
        EXPECT_LT(seen.seconds, 3) << what; // each; on a machine that has other work
        fastest = std::min(fastest, seen.seconds);
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
    const Line awaited("awaited", last, 0, large);
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
    kill_last();
    // The log says so before anybody looks a second time.
    if (rank == 0) {
        const Seen seen = see([&] { return DRI_extract(awaited.sink->xfer, nullptr, nullptr); });
        in_time(seen, "a sink");
        expect_words(seen.log, {"waits for frame 0 of " + process(last) + "; " + process(last) + " is gone"});
    }
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
    the_others_go_on();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3));
    EXPECT_LT(fastest, 1) << "the manual promises 1 s";
}

// Nobody sees that a process of another node has ended. Waits for it last until their deadline.
TEST(Peer, OverHostsTheDeadlineEndsTheWait) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0 || !by_messages)
        GTEST_SKIP() << "needs two processes that do not see each other";
    Started library({.timeout = "1.2", .report = "0.1", .ways = no_direct_way, .setup_timeout = "2"});
    library.expected_end = DRI_ERR_TIMEOUT;
    const Line from("from", last, 0, large), to("to", 0, last, large);
    commit(make_world());
    const Group all = make_world();
    kill_last();
    if (rank == 0) {
        for (int round = 0; round < 2; ++round) {
            const Seen seen = see([&] { return DRI_extract(from.sink->xfer, nullptr, nullptr); });
            EXPECT_EQ(seen.code, DRI_ERR_TIMEOUT) << DRI_error_message();
            EXPECT_GE(seen.seconds, 1.2);
            expect_words(DRI_error_message(), {process(last)});
            expect_words(seen.log,
                         {process(last) + " has not answered: it is in no call of the library, or gone"});
        }
        const Seen seen = see([&] {
            int code = DRI_SUCCESS;
            for (int frame = 0; frame < 20 && code == DRI_SUCCESS; ++frame)
                code = DRI_do(nullptr, to.source->xfer);
            return code;
        });
        EXPECT_EQ(seen.code, DRI_ERR_TIMEOUT) << DRI_error_message();
        expect_words(DRI_error_message(), {process(last)});
    }
    // The others wait here for the first one.
    int token = 0;
    for (int other = 1; rank == 0 && other < last; ++other)
        MPI_Send(&token, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    if (rank != 0)
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const Seen commit_seen = see([&] { return DRI_commit(all); });
    EXPECT_EQ(commit_seen.code, DRI_ERR_TIMEOUT) << DRI_error_message();
    the_others_go_on();
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
