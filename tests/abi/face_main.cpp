// The main function of the tests of the C++ interface: all tests on all processes. It fails if one fails anywhere.
#include "face.hpp"

#include <cstdio>
#include <mpi.h>

namespace {

// The processes but the first print failures only.
class Failures : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult &part) override {
        if (part.failed())
            std::fprintf(stderr, "[rank %d] %s:%d\n%s\n", face::rank(), part.file_name() ? part.file_name() : "",
                         part.line_number(), part.message());
    }
};

} // namespace

int main(int argc, char **argv) {
    int granted = 0, any = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    {
        dri::Environment env(argc, argv);
        testing::InitGoogleTest(&argc, argv);
        auto &listeners = testing::UnitTest::GetInstance()->listeners();
        if (env.rank() != 0) {
            delete listeners.Release(listeners.default_result_printer());
            listeners.Append(new Failures);
        }
        const int mine = RUN_ALL_TESTS();
        MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        env.finalize();
        if (dri::initialized())
            any = 1;
    }
    MPI_Finalize();
    return any;
}
