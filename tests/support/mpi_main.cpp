// The main function of every test program under MPI. It runs all tests on all ranks, and fails on all ranks if any
// fails.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

// Rank 0 prints the usual output. The other ranks print failures only, each with its rank.
class FailuresByRank : public testing::EmptyTestEventListener {
public:
    FailuresByRank(int rank, int size) : rank_(rank), size_(size) {}

    // Google Test holds a lock while it reports a result, so the test's name must be stored before.
    void OnTestStart(const testing::TestInfo &test) override {
        name_ = std::string(test.test_suite_name()) + "." + test.name();
    }
    void OnTestEnd(const testing::TestInfo &) override { name_ = outside; }
    void OnTestPartResult(const testing::TestPartResult &part) override {
        if (!part.failed())
            return;
        // One call per failure, so that lines of different ranks do not mix.
        std::fprintf(stderr, "[rank %d of %d] %s failed at %s:%d\n%s\n", rank_, size_, name_.c_str(),
                     part.file_name() ? part.file_name() : "unknown file", std::max(part.line_number(), 0),
                     part.message());
    }

private:
    static constexpr const char *outside = "outside of tests";
    int rank_, size_;
    std::string name_ = outside;
};

} // namespace

int main(int argc, char **argv) {
    int granted = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    testing::InitGoogleTest(&argc, argv);
    auto &listeners = testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
        delete listeners.Release(listeners.default_result_printer());
        delete listeners.Release(listeners.default_xml_generator());
    }
    if (rank != 0 || size > 1)
        listeners.Append(new FailuresByRank(rank, size));

    const int mine = RUN_ALL_TESTS();
    int any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
