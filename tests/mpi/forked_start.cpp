// Children that are forked while DRI_init starts MPI, which takes most of the time of a start.
#include "support/child.hpp"
#include "support/sanitizer.hpp"

#include <dri/dri_mpi.h>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <initializer_list>
#include <thread>

namespace dri::test {
namespace {

std::atomic<bool> in_mpi = false;

// Returns the number of the first call that is not refused, or 0. Calls that enter MPI are made last.
int call_all() {
    const int64_t size = 4;
    int flag = 1, number = 0;
    DRI_Gdo gdo{};
    for (const auto &call : std::initializer_list<std::function<int()>>{
             [&] { return DRI_gdo_create(1, DRI_FLOAT, &size, &gdo); }, [] { return DRI_finalize(); },
             [] { return DRI_init_comm(MPI_COMM_WORLD); }, [] { return DRI_init(nullptr, nullptr); }}) {
        ++number;
        if (!is_refused(call()))
            return number;
    }
    return DRI_initialized(&flag) == DRI_SUCCESS && flag == 0 ? 0 : 99;
}

TEST(ForkedStart, ChildrenAreRefusedAtOnce) {
    if (sanitized)
        GTEST_SKIP() << "needs an allocator whose locks are free in a child";
    std::atomic<int> code = -1;
    std::thread starts([&] { code = DRI_init(nullptr, nullptr); });
    while (!in_mpi)
        std::this_thread::yield();
    int during = 0;
    while (code == -1) {
        EXPECT_EQ(outcome_of(call_all), "0") << during;
        ++during;
    }
    starts.join();
    EXPECT_GT(during, 0);
    EXPECT_EQ(code, DRI_SUCCESS);
    EXPECT_EQ(outcome_of(call_all), "0");
    EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    // The library and its MPI have finished, so calls fail because the library is not running.
    EXPECT_EQ(outcome_of([] {
                  DRI_Gdo gdo{};
                  const int64_t size = 4;
                  const int refused = DRI_gdo_create(1, DRI_FLOAT, &size, &gdo);
                  return refused == DRI_ERR_STATE && !is_refused(refused) ? 0 : 1;
              }),
              "0");
}

} // namespace
} // namespace dri::test

// Replaces MPI's function, and sets a flag when DRI_init has entered it.
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    dri::test::in_mpi = true;
    return PMPI_Init_thread(argc, argv, required, provided);
}

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
