// One process does not join a collective call. The others return DRI_ERR_TIMEOUT by the set-up deadline, and
// remain usable.
#include "support/objects.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace dri::test {
namespace {

int init_with(const char *seconds) {
    setenv("DRI_SETUP_TIMEOUT", seconds, 1);
    return DRI_init_comm(MPI_COMM_WORLD);
}

TEST(SetupTimeout, WrongSettingsAreRefused) {
    for (const char *wrong : {"0", "-1", "soon", "5s", "99999999999999999999"}) {
        EXPECT_EQ(init_with(wrong), DRI_ERR_ARG) << wrong;
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("DRI_SETUP_TIMEOUT"), std::string::npos) << message;
        EXPECT_NE(message.find(wrong), std::string::npos) << message;
        int flag = 1;
        EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS);
        EXPECT_EQ(flag, 0);
    }
}

// A wrong setting in the environment of one process makes DRI_init fail on all.
TEST(Settings, AWrongSettingOfOneProcessIsRefusedByAll) {
    const auto [rank, size] = world();
    for (const auto &[name, wrong] :
         {std::pair("DRI_LOG", "loud"), std::pair("DRI_LOG", "trace"), std::pair("DRI_ISA", "neon")}) {
        if (rank == size - 1)
            setenv(name, wrong, 1);
        EXPECT_EQ(init_with("5"), DRI_ERR_ARG);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find(std::string(name) + "=" + wrong), std::string::npos) << message;
        if (rank != size - 1) { // the process with the wrong setting does not name itself
            EXPECT_NE(message.find("process " + std::to_string(size - 1)), std::string::npos) << message;
        }
        unsetenv(name);
    }
}

TEST(Settings, TheLogHasFiveLevels) {
    for (const char *word : {"off", "error", "warn", "info", "debug"}) {
        setenv("DRI_LOG", word, 1);
        EXPECT_EQ(init_with("5"), DRI_SUCCESS) << word << ": " << DRI_error_message();
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS);
    }
    unsetenv("DRI_LOG");
}

TEST(SetupTimeout, NamesTheMissingProcess) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a process that can be missing";
    const bool missing = rank == size - 1;
    const std::string who = "process " + std::to_string(size - 1);
    ASSERT_EQ(init_with("1"), DRI_SUCCESS) << DRI_error_message();
    const Group all = make_world();
    const Gdo gdo = make_gdo({8});
    const Part part = make_blocks(1, 0);
    std::string message;
    if (!missing) {
        DRI_Dist dist{3};
        EXPECT_EQ(DRI_dist_create(gdo, part, all, &dist), DRI_ERR_TIMEOUT);
        EXPECT_EQ(dist.id, 0u);
        message = DRI_error_message();
        EXPECT_NE(message.find(who), std::string::npos) << message;
        EXPECT_EQ(DRI_commit(all), DRI_ERR_TIMEOUT);
        message = DRI_error_message();
        EXPECT_NE(message.find(who + " waits in no call of the library"), std::string::npos) << message;
    }
    barrier();
    // The processes that joined can still work with each other.
    if (!missing) {
        const Group here = make_group(ranks(size - 1));
        const Dist dist = make_dist(gdo, part, here);
        const Xfer source = make_xfer("here", DRI_SOURCE, dist), sink = make_xfer("here", DRI_SINK, dist);
        commit(here);
        expect_success(DRI_do("here", DRI_XFER_NULL), "DRI_do");
    }
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

// The message says in which call of the library the missing process is.
TEST(SetupTimeout, SaysWhereTheMissingProcessIs) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a process that can be missing";
    ASSERT_EQ(init_with("1"), DRI_SUCCESS) << DRI_error_message();
    {
        const Group all = make_world();
        const bool missing = rank == size - 1;
        Xfer end;
        if (rank == 0 || missing)
            end = make_xfer("late", missing ? DRI_SINK : DRI_SOURCE,
                            make_dist(make_gdo({8}), make_blocks(1, 0), make_group({rank})));
        commit(all);
        if (!missing) { // the last process waits for its frame
            EXPECT_EQ(DRI_commit(all), DRI_ERR_TIMEOUT);
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("process " + std::to_string(size - 1) + " is in DRI_do"), std::string::npos)
                << message;
            EXPECT_NE(message.find("'late'"), std::string::npos) << message;
        }
        if (end)
            expect_success(DRI_do(nullptr, end), "DRI_do");
        barrier();
    }
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

// The collective set-up calls that a process may make by mistake while the others make another one.
enum class Call { commit, query, dist_create, finalize };
constexpr Call all_calls[] = {Call::commit, Call::query, Call::dist_create, Call::finalize};

const char *name_of(Call call) {
    switch (call) {
    case Call::commit: return "DRI_commit";
    case Call::query: return "DRI_xfer_query";
    case Call::dist_create: return "DRI_dist_create";
    case Call::finalize: return "DRI_finalize";
    }
    return "";
}

// A corner turn, or a transfer that keeps all elements where they are, over all processes.
struct Turn {
    explicit Turn(bool stays)
        : source(make_xfer("mixed", DRI_SOURCE, rows)),
          sink(make_xfer("mixed", DRI_SINK, stays ? rows : columns)) {}

    int make(Call call) {
        switch (call) {
        case Call::commit: return DRI_commit(all);
        case Call::query: return DRI_xfer_query(all, 1, source.out(), &memory);
        case Call::dist_create: return DRI_dist_create(gdo, part, all, created.out());
        case Call::finalize: return DRI_finalize();
        }
        return DRI_SUCCESS;
    }

    Group all = make_world();
    Gdo gdo = make_gdo({14, 14});
    Part part = make_blocks(2, 0);
    Dist rows = make_dist(gdo, part, all), columns = make_dist(gdo, make_blocks(2, 1), all), created;
    Xfer source, sink;
    DRI_Memory memory{};
};

// One process makes one call, all others make another one.
void expect_mismatch(Call common, Call other, int odd_one, bool stays) {
    const int rank = world().rank;
    SCOPED_TRACE(std::string(name_of(common)) + ", " + name_of(other) + " on process " + std::to_string(odd_one));
    ASSERT_EQ(init_with("60"), DRI_SUCCESS) << DRI_error_message();
    {
        Turn turn(stays);
        const Call mine = rank == odd_one ? other : common;
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(turn.make(mine), DRI_ERR_MISMATCH) << DRI_error_message();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << "waited for the deadline";
        const std::string message = DRI_error_message();
        EXPECT_EQ(message.find(std::string(name_of(mine)) + " on process " + std::to_string(rank) + ": "), 0u);
        const std::string found = message.substr(message.find(": "));
        for (const std::string &word :
             {std::string(name_of(common)), std::string(name_of(other)), "process " + std::to_string(odd_one)})
            EXPECT_NE(found.find(word), std::string::npos) << message;
        // Nothing is left of either call: the endpoints are declared, and the library runs.
        if (common != Call::finalize && other != Call::finalize) {
            commit(turn.all);
            expect_success(DRI_do("mixed", DRI_XFER_NULL), "DRI_do");
        }
        int runs = 0;
        EXPECT_EQ(DRI_initialized(&runs), DRI_SUCCESS);
        EXPECT_EQ(runs, 1);
    }
    barrier();
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(SetupTimeout, DifferentCallsAreAMismatchOnAllAtOnce) {
    const int size = world().size;
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    struct Path {
        const char *ways;
        bool stays;
    };
    for (const Path path : {Path{"self,direct,message", false}, {"self,message", false}, {"self,message", true}}) {
        setenv("DRI_WAYS", path.ways, 1);
        for (const Call common : all_calls)
            for (const Call other : all_calls)
                for (const int odd_one : {0, size - 1})
                    if (common != other)
                        expect_mismatch(common, other, odd_one, path.stays);
    }
    unsetenv("DRI_WAYS");
}

// What a process of a test calls, over which ranks, and the words of its error. Code 0: the call succeeds.
struct Visit {
    Call call;
    std::vector<int> scope;
    DRI_Code code = DRI_SUCCESS;
    std::vector<std::string> words = {};
};

// Each process makes its own call. Then all of them commit over one scope.
void expect_visits(const std::vector<Visit> &visits) {
    const int rank = world().rank, n = static_cast<int>(visits.size());
    ASSERT_EQ(init_with("1"), DRI_SUCCESS) << DRI_error_message();
    const auto begin = std::chrono::steady_clock::now();
    if (rank < n) {
        const Visit &mine = visits[static_cast<size_t>(rank)];
        const Group scope = make_group(mine.scope);
        const Gdo gdo = make_gdo({8});
        const Part part = make_blocks(1, 0);
        Dist dist;
        const int code = mine.call == Call::commit        ? DRI_commit(scope)
                         : mine.call == Call::query       ? DRI_xfer_query(scope, 0, nullptr, nullptr)
                         : mine.call == Call::dist_create ? DRI_dist_create(gdo, part, scope, dist.out())
                                                          : DRI_finalize();
        EXPECT_EQ(code, mine.code) << DRI_error_message();
        const std::string message = code ? DRI_error_message() : "";
        for (const std::string &word : mine.words)
            EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "later than the deadline";
    barrier();
    if (rank < n)
        commit(make_group(ranks(n)));
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(SetupTimeout, CallsOverScopesThatOverlapEndByTheDeadline) {
    const int size = world().size;
    if (size < 3)
        GTEST_SKIP() << "needs three processes";
    const std::vector<int> three{0, 1, 2};
    // Process 2 is not in the scope of process 0, but waits for it, as process 1 does.
    const std::vector<std::string> other_group{"process 0 calls DRI_commit over the group of 2 processes: 0, 1; "
                                               "but process 1 calls DRI_commit over another "
                                               "group, of 3 processes"};
    expect_visits({{Call::commit, {0, 1}, DRI_ERR_MISMATCH, other_group},
                   {Call::commit, three, DRI_ERR_MISMATCH, other_group},
                   {Call::commit,
                    three,
                    DRI_ERR_TIMEOUT,
                    {"DRI_SETUP_TIMEOUT", "DRI_commit over the group of 3 processes: 0, 1, 2", "for process 0"}}});
    // Process 0 ends the library while two others commit.
    expect_visits({{Call::finalize,
                    three,
                    DRI_ERR_TIMEOUT,
                    {"DRI_SETUP_TIMEOUT", "DRI_finalize over the group of " + std::to_string(size), "1, 2"}},
                   {Call::commit, {1, 2}},
                   {Call::commit, {1, 2}}});
    if (size < 4)
        return;
    expect_visits(
        {{Call::commit, three},
         {Call::commit, three},
         {Call::commit, three},
         {Call::query,
          {2, 3},
          DRI_ERR_TIMEOUT,
          {"DRI_SETUP_TIMEOUT", "DRI_xfer_query over the group of 2 processes: 2, 3", "for process 2"}}});
    expect_visits({{Call::dist_create, {0, 1, 3}},
                   {Call::dist_create, {0, 1, 3}},
                   {Call::commit,
                    {1, 2},
                    DRI_ERR_TIMEOUT,
                    {"DRI_SETUP_TIMEOUT", "DRI_commit over the group of 2 processes: 1, 2", "for process 1"}},
                   {Call::dist_create, {0, 1, 3}}});
}

// The error of a call, or DRI_SUCCESS. It has all of the words.
int expect_words(int code, const std::vector<std::string> &words) {
    const std::string message = code ? DRI_error_message() : "";
    for (const std::string &word : words)
        EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
    return code;
}

// Two threads of one process make two calls at once. The process refuses one of them and does not repeat it. The
// others make both, one after the other, and wait in the refused one.
void expect_refusal_named(Call first, Call second, int busy) {
    SCOPED_TRACE(std::string(name_of(first)) + ", " + name_of(second) + " on process " + std::to_string(busy));
    const std::array<Call, 2> calls{first, second};
    const std::string who = "process " + std::to_string(busy);
    ASSERT_EQ(init_with("1"), DRI_SUCCESS) << DRI_error_message();
    {
        Turn turn(true);
        std::array<std::atomic<int>, 2> codes{-1, -1};
        std::array<std::thread, 2> threads;
        int refused = 0;
        if (world().rank == busy) {
            Dist made[2];
            for (size_t i = 0; i < 2; ++i)
                threads[i] = std::thread([&, i] {
                    codes[i] = calls[i] == Call::dist_create
                                   ? DRI_dist_create(turn.gdo, turn.part, turn.all, made[i].out())
                                   : turn.make(calls[i]);
                });
            while (codes[0] == -1 && codes[1] == -1)
                std::this_thread::yield();
            refused = codes[0] == -1 ? 1 : 0;
            EXPECT_EQ(codes[static_cast<size_t>(refused)], DRI_ERR_STATE);
            MPI_Bcast(&refused, 1, MPI_INT, busy, MPI_COMM_WORLD);
            for (std::thread &thread : threads)
                thread.join();
            EXPECT_EQ(codes[1 - static_cast<size_t>(refused)], DRI_SUCCESS);
        } else {
            MPI_Bcast(&refused, 1, MPI_INT, busy, MPI_COMM_WORLD);
            const Call excluded = calls[static_cast<size_t>(refused)],
                       other = calls[1 - static_cast<size_t>(refused)];
            EXPECT_EQ(turn.make(other), DRI_SUCCESS) << DRI_error_message();
            EXPECT_EQ(
                expect_words(turn.make(excluded), {std::string(name_of(excluded)) + " over", "waited for " + who,
                                                   who + " has refused an earlier " + name_of(excluded),
                                                   std::string("was in ") + name_of(other)}),
                DRI_ERR_TIMEOUT);
        }
        barrier();
        commit(turn.all);
        expect_success(DRI_do("mixed", DRI_XFER_NULL), "DRI_do");
    }
    barrier();
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(SetupTimeout, NamesACallThatIsRefusedAndNotRepeated) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    const int size = world().size;
    if (granted < MPI_THREAD_MULTIPLE || size < 2)
        GTEST_SKIP() << "needs two processes, and MPI for several threads";
    expect_refusal_named(Call::commit, Call::dist_create, 0);
    expect_refusal_named(Call::query, Call::commit, size - 1);
}

TEST(SetupTimeout, FinalizeNamesTheMissingProcessAndMayBeRepeated) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a process that can be missing";
    ASSERT_EQ(init_with("1"), DRI_SUCCESS) << DRI_error_message();
    int flag = 0;
    if (rank != size - 1) {
        DRI_Group group{};
        expect_success(DRI_group_create_world(&group), "DRI_group_create_world");
        EXPECT_EQ(DRI_finalize(), DRI_ERR_TIMEOUT);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("process " + std::to_string(size - 1)), std::string::npos) << message;
        EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(DRI_group_destroy(&group), DRI_ERR_HANDLE) << "all objects are destroyed";
    }
    barrier();
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS);
    EXPECT_EQ(flag, 0);
}

// The first process stops the library while the last one waits to receive a frame from it, or to send one to it.
TEST(SetupTimeout, AProcessThatWaitsInAFrameLearnsOfFinalize) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    for (const DRI_Role waiting : {DRI_SINK, DRI_SOURCE}) {
        ASSERT_EQ(init_with("60"), DRI_SUCCESS) << DRI_error_message();
        if (rank == 0 || rank == size - 1) {
            const DRI_Role other = waiting == DRI_SINK ? DRI_SOURCE : DRI_SINK;
            const Dist dist = make_dist(make_gdo({1 << 20}), make_blocks(1, 0), make_group({rank}));
            Xfer endpoint = make_xfer("ended", rank == 0 ? other : waiting, dist);
            commit(make_group({0, size - 1}));
            int code = DRI_SUCCESS;
            while (rank != 0 && code == DRI_SUCCESS)
                code = DRI_do("ended", endpoint);
            EXPECT_EQ(code, rank == 0 ? DRI_SUCCESS : DRI_ERR_STATE);
            if (rank != 0) {
                const std::string message = DRI_error_message();
                EXPECT_NE(message.find("process 0"), std::string::npos) << message;
            }
            *endpoint.out() = {};
        }
        ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
}

} // namespace
} // namespace dri::test
