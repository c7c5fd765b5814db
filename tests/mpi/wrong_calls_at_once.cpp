// Collective set-up calls of two threads of a process at the same time.
#include "support/last_errs.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace dri_test {
namespace {

enum Call { dist_create, commit_call, query };
constexpr const char *call_names[]{"DRI_dist_create", "DRI_commit", "DRI_xfer_query"};

int make(Call call, DRI_Group group) {
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
    std::string message;
    std::thread thread;

    void start(Call call, DRI_Group group) {
        thread = std::thread([=, this] {
            const int result = make(call, group);
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
    // Process 0 makes both calls at once. The other processes make the one that is not refused, when the other one
    // has failed.
    void expect_one_refused(Call first, Call second) {
        const std::array<Call, 2> calls{first, second};
        int waits = 0; // the call that is not refused
        if (world().rank != 0) {
            MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
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
        EXPECT_NE(refused.message.find(std::string("is in ") + call_names[calls[static_cast<size_t>(waits)]]),
                  std::string::npos)
            << refused.message;
        MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (Made &one : made)
            one.thread.join();
        EXPECT_EQ(waiting.code, DRI_SUCCESS) << waiting.message;
    }
    Group world_ = make_world();
};

TEST_F(AtOnce, OneOfTwoCallsOverOneGroupIsRefused) {
    for (const Call first : {dist_create, commit_call, query})
        for (const Call second : {dist_create, commit_call, query})
            expect_one_refused(first, second);
}

// Calls over groups that have only this process in common do not disturb each other.
TEST_F(AtOnce, OverAnotherGroupADistributionCanBeMade) {
    const Group alone = make_group({world().rank});
    for (const Call call : {dist_create, commit_call, query}) {
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

} // namespace
} // namespace dri_test
