// A program that finishes MPI before the library. Calls that need MPI are refused; objects can still be destroyed.
#include "support/objects.hpp"
#include "support/threads_here.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

namespace dri::test {
namespace {

constexpr const char *progress_thread = "dri-progress";

TEST(MpiEnded, CallsThatNeedItAreRefused) {
    int granted = MPI_THREAD_SINGLE;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted), MPI_SUCCESS);
    ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    const int size = world().size;
    DRI_Group all{};
    expect_success(DRI_group_create_world(&all), "DRI_group_create_world");
    const Gdo gdo = make_gdo({40, 40});
    const Part part = make_blocks(2, 0);
    Dist rows = make_dist(gdo, part, all), columns = make_dist(gdo, make_blocks(2, 1), all);
    Xfer source = make_xfer("ended", DRI_SOURCE, rows, DRI_ROW_MAJOR, 2),
         sink = make_xfer("ended", DRI_SINK, columns);
    // The direct way needs MPI only for the commit. It is switched off, so that frames need MPI.
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
    const bool with_thread = granted == MPI_THREAD_MULTIPLE;
    if (with_thread) {
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
    }
    commit(all);
    expect_success(DRI_do("ended", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(comes_to_have(progress_thread, with_thread), with_thread);
    ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
    EXPECT_FALSE(comes_to_have(progress_thread, false)) << "it would call MPI";

    DRI_Group group{};
    EXPECT_EQ(DRI_group_from_comm(MPI_COMM_WORLD, &group), DRI_ERR_STATE);
    // Work inside one process needs no MPI.
    if (size > 1) {
        DRI_Dist dist{};
        EXPECT_EQ(DRI_dist_create(gdo, part, all, &dist), DRI_ERR_STATE);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_STATE);
        EXPECT_EQ(DRI_do("ended", DRI_XFER_NULL), DRI_ERR_STATE);
        EXPECT_STRNE(DRI_error_message(), "");
        EXPECT_EQ(DRI_do("ended", source), DRI_ERR_STATE);
        EXPECT_EQ(DRI_do("ended", sink), DRI_ERR_STATE);
    }
    expect_success(sink.reset(), "DRI_xfer_destroy");
    expect_success(source.reset(), "DRI_xfer_destroy");
    expect_success(columns.reset(), "DRI_dist_destroy");
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
    int flag = 1;
    expect_success(DRI_initialized(&flag), "DRI_initialized");
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE);
}

} // namespace
} // namespace dri::test

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
