// One process does not join a collective call. The others return DRI_ERR_TIMEOUT by the set-up deadline, and
// remain usable.
#include "support/objects.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace dri_test {
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
        EXPECT_NE(message.find(who), std::string::npos) << message;
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

// Each process commits over its own scope of `scopes`, then all commit over the same scope. The process `late`
// calls last.
void expect_alike(const std::vector<std::vector<int>> &scopes, int late, DRI_Code code,
                  const std::string &words_for_late) {
    const auto [rank, size] = world();
    const int n = static_cast<int>(scopes.size());
    ASSERT_EQ(init_with("2"), DRI_SUCCESS) << DRI_error_message();
    if (rank < n) {
        if (rank == late)
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
        EXPECT_EQ(DRI_commit(make_group(scopes[static_cast<size_t>(rank)])), code) << DRI_error_message();
        const std::string message = DRI_error_message();
        if (rank == late) {
            EXPECT_NE(message.find(words_for_late), std::string::npos) << message;
        }
    }
    barrier();
    if (rank < n)
        commit(make_group(ranks(n)));
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(SetupTimeout, ProcessesWithDifferentScopesFailWithTheSameCode) {
    const std::vector<int> three{0, 1, 2}, four{0, 1, 2, 3};
    if (world().size < 3)
        GTEST_SKIP() << "needs three processes";
    // Process 2 is not in the scope of process 0, but waits for it, as process 1 does.
    expect_alike({{0, 1}, three, three}, 0, DRI_ERR_MISMATCH,
                 "process 1 takes part with another group, of 3 processes");
    // Only process 2 waits for process 3, and sends it nothing. Process 3 waits for process 1.
    if (world().size >= 4)
        expect_alike({four, four, four, {1, 3}}, 3, DRI_ERR_TIMEOUT, "process 3 waits for process 1");
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
} // namespace dri_test
