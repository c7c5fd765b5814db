// Collective set-up calls of two threads of a process at the same time.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace dri::test {
namespace {

enum CallAtOnce { dist_create, commit_call, query };
constexpr std::array calls_at_once{dist_create, commit_call, query};
constexpr const char *names_at_once[]{"DRI_dist_create", "DRI_commit", "DRI_xfer_query"};

int make(CallAtOnce call, DRI_Group group) {
    Dist dist;
    switch (call) {
    case dist_create: return DRI_dist_create(make_gdo({8}), make_blocks(1, 0), group, dist.out());
    case commit_call: return DRI_commit(group);
    case query: return DRI_xfer_query(group, 0, nullptr, nullptr);
    }
    return -1;
}

// A call that a thread makes.
struct Made {
    std::atomic<int> code = -1;
    std::string message; // valid when `code` is set
    std::thread thread;

    // A refused call is repeated if `persistent`, with pauses that leave the core to threads that wait.
    void start(CallAtOnce call, DRI_Group group, bool persistent = false) {
        thread = std::thread([=, this] {
            int result = make(call, group);
            while (persistent && result == DRI_ERR_STATE) {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                result = make(call, group);
            }
            message = DRI_error_message();
            code = result;
        });
    }
};

class AtOnce : public testing::Test {
protected:
    void SetUp() override {
        int granted = MPI_THREAD_SINGLE;
        MPI_Query_thread(&granted);
        if (granted < MPI_THREAD_MULTIPLE || world().size < 2)
            GTEST_SKIP() << "needs two processes, and MPI for several threads";
    }
    // No call has waited for the set-up deadline, and none is left over.
    void TearDown() override {
        EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(100));
        if (!IsSkipped())
            expect_success(DRI_commit(world_), "DRI_commit");
    }
    // One process makes both calls at once. The other processes make the one that is not refused, when the other
    // one has failed.
    void expect_one_refused(CallAtOnce first, CallAtOnce second, int busy) {
        const std::array<CallAtOnce, 2> calls{first, second};
        int waits = 0; // the call that is not refused
        if (world().rank != busy) {
            MPI_Bcast(&waits, 1, MPI_INT, busy, MPI_COMM_WORLD);
            EXPECT_EQ(make(calls[static_cast<size_t>(waits)], world_), DRI_SUCCESS) << DRI_error_message();
            return;
        }
        std::array<Made, 2> made;
        for (size_t i = 0; i < 2; ++i)
            made[i].start(calls[i], world_);
        while (made[0].code == -1 && made[1].code == -1)
            std::this_thread::yield();
        waits = made[0].code == -1 ? 0 : 1;
        Made &refused = made[1 - static_cast<size_t>(waits)], &waiting = made[static_cast<size_t>(waits)];
        EXPECT_EQ(refused.code, DRI_ERR_STATE) << refused.message;
        EXPECT_NE(refused.message.find(std::string("is in ") + names_at_once[calls[static_cast<size_t>(waits)]]),
                  std::string::npos)
            << refused.message;
        MPI_Bcast(&waits, 1, MPI_INT, busy, MPI_COMM_WORLD);
        for (Made &one : made)
            one.thread.join();
        EXPECT_EQ(waiting.code, DRI_SUCCESS) << waiting.message;
    }
    // Every process makes both calls at once, and repeats the one that it refuses. Different processes may refuse
    // different calls.
    void expect_both_end(CallAtOnce first, CallAtOnce second) {
        std::array<Made, 2> made;
        made[0].start(first, world_, true);
        made[1].start(second, world_, true);
        for (Made &one : made) {
            one.thread.join();
            EXPECT_TRUE(one.code == DRI_SUCCESS || (first != second && one.code == DRI_ERR_MISMATCH))
                << one.code << ": " << one.message;
        }
        EXPECT_EQ(made[0].code, made[1].code) << made[0].message << made[1].message;
        const auto [lowest, highest] = range_of(made[0].code);
        EXPECT_EQ(lowest, highest) << "processes have different results";
    }
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    Group world_ = make_world();
};

TEST_F(AtOnce, OneOfTwoCallsOverOneGroupIsRefused) {
    for (const int busy : {0, world().size - 1})
        for (const CallAtOnce first : calls_at_once)
            for (const CallAtOnce second : calls_at_once)
                expect_one_refused(first, second, busy);
}

TEST_F(AtOnce, CallsOfAllProcessesEnd) {
    for (int round = 0; round < 3; ++round)
        for (const CallAtOnce first : calls_at_once)
            for (const CallAtOnce second : calls_at_once)
                expect_both_end(first, second);
}

// Calls over groups that have only this process in common do not disturb each other.
TEST_F(AtOnce, OverAnotherGroupADistributionCanBeMade) {
    const Group alone = make_group({world().rank});
    for (const CallAtOnce call : calls_at_once) {
        Made made;
        if (world().rank == 0) {
            made.start(call, world_);
            for (int i = 0; i < 50; ++i)
                EXPECT_EQ(make(dist_create, alone), DRI_SUCCESS) << DRI_error_message();
            barrier();
            made.thread.join();
            EXPECT_EQ(made.code, DRI_SUCCESS) << made.message;
        } else {
            barrier();
            EXPECT_EQ(make(call, world_), DRI_SUCCESS) << DRI_error_message();
        }
    }
}

// A thread cannot end the library while another one is in a commit. Nothing has happened then.
TEST_F(AtOnce, FinalizeIsRefusedDuringACommit) {
    const Dist dist = make_dist(make_gdo({8}), make_blocks(1, 0), world_);
    const Xfer source = make_xfer("kept", DRI_SOURCE, dist), sink = make_xfer("kept", DRI_SINK, dist);
    if (world().rank == 0) {
        Made made;
        made.start(commit_call, world_);
        while (DRI_xfer_set_attr(source, DRI_ATTR_THREADS, 1) == DRI_SUCCESS) // until the commit has begun
            std::this_thread::yield();
        EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("is in DRI_commit"), std::string::npos) << message;
        barrier();
        made.thread.join();
        EXPECT_EQ(made.code, DRI_SUCCESS) << made.message;
    } else {
        barrier();
        commit(world_);
    }
    expect_success(DRI_do("kept", DRI_XFER_NULL), "DRI_do");
}

} // namespace
} // namespace dri::test
