// DRI_init starts MPI if the program has not done so, and then DRI_finalize finishes it.
#include "support/good_turn.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <cstdlib>
#include <string>
#include <thread>

namespace dri::test {
namespace {

bool mpi_runs() {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

// While a thread of process 0 waits in DRI_finalize, another one calls it, too. It must not end MPI.
void finalize_twice_at_once() {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    if (world().rank != 0 || world().size < 2 || granted < MPI_THREAD_MULTIPLE) {
        if (granted >= MPI_THREAD_MULTIPLE)
            barrier();
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
        return;
    }
    std::thread first([] { EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message(); });
    for (int flag = 1; flag != 0; std::this_thread::yield())
        DRI_initialized(&flag);
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("is in DRI_finalize"), std::string::npos) << message;
    EXPECT_TRUE(mpi_runs());
    barrier();
    first.join();
}

TEST(StartsMpi, IfNobodyElseHas) {
    EXPECT_FALSE(mpi_runs());
    EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_ERR_STATE) << "needs a running MPI";
    EXPECT_EQ(DRI_init_fcomm(0), DRI_ERR_STATE) << "needs a running MPI";
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
    EXPECT_FALSE(mpi_runs());
    setenv("DRI_ISA", "zzz", 1);
    EXPECT_EQ(DRI_init(nullptr, nullptr), DRI_ERR_ARG);
    EXPECT_TRUE(mpi_runs()) << "it cannot be started twice";
    unsetenv("DRI_ISA");
    EXPECT_EQ(DRI_init(nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_TRUE(mpi_runs());
    int rank = -1;
    EXPECT_EQ(DRI_world_rank(&rank), DRI_SUCCESS);
    EXPECT_EQ(rank, world().rank);
    expect_good_turn();
    finalize_twice_at_once();
    EXPECT_FALSE(mpi_runs());
    EXPECT_EQ(DRI_init(nullptr, nullptr), DRI_ERR_STATE) << "MPI does not start twice";
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
    EXPECT_STRNE(DRI_error_message(), "");
    DRI_Group group{4};
    EXPECT_EQ(DRI_group_create_world(&group), DRI_ERR_STATE);
    EXPECT_EQ(group.id, 0u);
}

} // namespace
} // namespace dri::test

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
