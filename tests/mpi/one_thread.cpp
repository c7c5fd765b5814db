// MPI is started for one thread only. Whatever needs more is refused on all processes.
#include "support/objects.hpp"
#include "support/strip.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

namespace dri::test {
namespace {

TEST(OneThread, AProgressThreadIsRefused) {
    int granted = MPI_THREAD_MULTIPLE;
    MPI_Query_thread(&granted);
    if (granted == MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "this MPI always allows calls of any thread";
    const int rank = world().rank, last = world().size - 1;
    expect_success(DRI_init_comm(MPI_COMM_WORLD), "DRI_init_comm");
    {
        const Group all = make_world();
        const Strip source = *declare_strip("one thread", DRI_SOURCE, all_ranks(), 1),
                    sink = *declare_strip("one thread", DRI_SINK, all_ranks(), 1);
        const auto ask_for_thread = [&](int64_t value) {
            if (rank == last)
                expect_success(DRI_xfer_set_attr(sink.xfer, DRI_ATTR_PROGRESS_THREAD, value), "DRI_xfer_set_attr");
        };
        EXPECT_EQ(DRI_xfer_set_attr(sink.xfer, DRI_ATTR_PROGRESS_THREAD, 2), DRI_ERR_ARG);
        ask_for_thread(1);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_UNSUPPORTED);
        const std::string message = DRI_error_message();
        for (const char *word : {"'one thread'", "sink", "DRI_ATTR_PROGRESS_THREAD", "MPI_THREAD_MULTIPLE"})
            EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
        ask_for_thread(0);
        commit(all);
        source.fill(buffer_of<void>(source.xfer), 3);
        expect_success(DRI_do("one thread", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), 3), 0);
    }
    expect_success(DRI_finalize(), "DRI_finalize");
}

} // namespace
} // namespace dri::test

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
    testing::InitGoogleTest(&argc, argv);
    const int failed = RUN_ALL_TESTS();
    MPI_Finalize();
    return failed;
}
