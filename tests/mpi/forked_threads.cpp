// Children that one thread forks while other threads call, start or stop the library. No child waits for a lock
// that a thread of the parent holds.
#include "support/child.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace dri::test {
namespace {

bool may_fork_beside_threads() {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    return granted >= MPI_THREAD_MULTIPLE && !sanitized;
}
constexpr const char *may_not = "needs MPI for several threads, and an allocator whose locks are free in a child";

void ignore(int, const char *, void *) {}

// Threads that repeat their own action until they are stopped.
class Busy {
public:
    explicit Busy(std::vector<std::function<void()>> calls) : calls_(std::move(calls)) {
        for (const auto &call : calls_)
            threads_.emplace_back([this, &call] {
                while (!stop_)
                    call();
            });
    }
    ~Busy() {
        stop_ = true;
        for (std::thread &thread : threads_)
            thread.join();
    }
    Busy(const Busy &) = delete;
    Busy &operator=(const Busy &) = delete;

private:
    const std::vector<std::function<void()>> calls_;
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> threads_;
};

constexpr int children = 60;
const int64_t sizes[]{64, 64};

void ask_for_state() {
    int flag = 0, rank = 0;
    DRI_initialized(&flag);
    DRI_world_rank(&rank);
    DRI_set_error_handler(ignore, nullptr);
}

void make_one() {
    DRI_Gdo gdo{};
    DRI_gdo_create(2, DRI_FLOAT, sizes, &gdo);
    DRI_gdo_destroy(&gdo);
}

// Returns the number of the first call that is not refused, or 0.
int call_all(DRI_Xfer xfer) {
    int flag = 1, number = 0;
    DRI_Gdo gdo{};
    DRI_set_error_handler(ignore, nullptr);
    for (const int code :
         {DRI_gdo_create(2, DRI_FLOAT, sizes, &gdo), DRI_do("busy", DRI_XFER_NULL), DRI_do(nullptr, xfer),
          DRI_xfer_destroy(&xfer), DRI_finalize(), DRI_init_comm(MPI_COMM_WORLD), DRI_init(nullptr, nullptr)}) {
        ++number;
        if (!is_refused(code))
            return number;
    }
    return DRI_initialized(&flag) == DRI_SUCCESS && flag == 0 ? 0 : 99;
}

TEST(ForkedBesideThreads, WhileThreadsAreInsideCalls) {
    if (!may_fork_beside_threads())
        GTEST_SKIP() << may_not;
    ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    if (world().rank == 0) {
        const Group alone = make_group({0});
        const Dist dist = make_dist(make_gdo({64, 64}), make_blocks(2, 0), alone);
        const Xfer source = make_xfer("busy", DRI_SOURCE, dist), sink = make_xfer("busy", DRI_SINK, dist);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_THREADS, 2), "DRI_xfer_set_attr");
        commit(alone);
        std::atomic<int64_t> frames = 0, failed = 0;
        {
            const Busy busy({make_one, ask_for_state,
                             [&] { (DRI_do("busy", DRI_XFER_NULL) == DRI_SUCCESS ? frames : failed) += 1; }});
            for (int i = 0; i < children; ++i)
                EXPECT_EQ(outcome_of([&]() -> int {
                              const int wrong = call_all(source);
                              if (i % 2 == 0)
                                  return wrong;
                              exit(wrong);
                          }),
                          "0")
                    << i;
        }
        EXPECT_GT(frames, 0);
        EXPECT_EQ(failed, 0);
    }
    DRI_set_error_handler(nullptr, nullptr);
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

// Here MPI runs before the library starts. forked_start covers the case in which DRI_init starts MPI.
TEST(ForkedBesideThreads, WhileAThreadStartsTheLibrary) {
    if (!may_fork_beside_threads())
        GTEST_SKIP() << may_not;
    if (world().size < 2)
        GTEST_SKIP() << "needs a process that DRI_init_comm waits for";
    if (world().rank == 0) {
        std::atomic<int> code = -1;
        std::thread starts([&] { code = DRI_init_comm(MPI_COMM_WORLD); });
        // A refused call in a child is the only sign that the start has begun.
        const auto begun = [] {
            return outcome_of([] {
                       DRI_Gdo gdo{};
                       return is_refused(DRI_gdo_create(2, DRI_FLOAT, sizes, &gdo)) ? 0 : 1;
                   }) == "0";
        };
        int looks = 0;
        while (!begun() && ++looks < 10000)
            std::this_thread::yield();
        for (int i = 0; i < 10; ++i)
            EXPECT_EQ(outcome_of([] { return call_all(DRI_XFER_NULL); }), "0");
        EXPECT_EQ(code, -1) << "it waits for the others";
        barrier();
        starts.join();
        EXPECT_EQ(code, DRI_SUCCESS);
    } else {
        barrier();
        EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    }
    EXPECT_EQ(outcome_of([] { return call_all(DRI_XFER_NULL); }), "0");
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(ForkedBesideThreads, WhileAThreadStopsTheLibrary) {
    if (!may_fork_beside_threads())
        GTEST_SKIP() << may_not;
    if (world().size < 2)
        GTEST_SKIP() << "needs a process that DRI_finalize waits for";
    ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    if (world().rank == 0) {
        std::atomic<int> code = -1;
        std::thread finaliser([&] { code = DRI_finalize(); });
        for (int flag = 1; flag != 0; std::this_thread::yield())
            DRI_initialized(&flag);
        for (int i = 0; i < 10; ++i)
            EXPECT_EQ(outcome_of([] { return call_all(DRI_XFER_NULL); }), "0");
        EXPECT_EQ(code, -1) << "it waits for the others";
        barrier();
        finaliser.join();
        EXPECT_EQ(code, DRI_SUCCESS);
    } else {
        barrier();
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
    // No thread is stopping the library any more.
    EXPECT_EQ(outcome_of([] {
                  DRI_Gdo gdo{};
                  const int refused = DRI_gdo_create(2, DRI_FLOAT, sizes, &gdo);
                  return refused == DRI_ERR_STATE && !is_refused(refused) ? 0 : 1;
              }),
              "0");
    barrier();
}

} // namespace
} // namespace dri::test
