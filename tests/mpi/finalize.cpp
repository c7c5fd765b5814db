// DRI_finalize beside other threads and processes that are not ready for it. Each test starts and ends the
// library.
#include "support/arrays.hpp"
#include "support/objects.hpp"
#include "support/threads_here.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace dri::test {
namespace {

class Finalize : public testing::Test {
protected:
    void SetUp() override {
        int granted = MPI_THREAD_SINGLE;
        MPI_Query_thread(&granted);
        if (granted < MPI_THREAD_MULTIPLE || size_ < 2)
            GTEST_SKIP() << "needs two processes, and MPI for several threads";
    }
    void start(const char *seconds) {
        setenv("DRI_SETUP_TIMEOUT", seconds, 1);
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    }
    static void expect_refused(int code, const std::vector<std::string> &words) {
        EXPECT_EQ(code, DRI_ERR_STATE);
        const std::string message = DRI_error_message();
        for (const std::string &word : words)
            EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
    }
    static void wait_until_not_running() {
        for (int flag = 1; flag != 0; std::this_thread::yield())
            DRI_initialized(&flag);
    }
    const int rank_ = world().rank, size_ = world().size, last_ = size_ - 1;
};

// While one thread waits in DRI_finalize for the other processes, all other calls are refused, and name it.
TEST_F(Finalize, IsMadeByOneThreadAtATime) {
    start("60");
    std::thread first;
    std::atomic<int> code = DRI_SUCCESS;
    if (rank_ == 0) {
        first = std::thread([&] { code = DRI_finalize(); });
        wait_until_not_running();
        const std::vector<std::string> words{"another thread of this process is in DRI_finalize"};
        DRI_Group group{};
        expect_refused(DRI_finalize(), words);
        expect_refused(DRI_init_comm(MPI_COMM_WORLD), words);
        expect_refused(DRI_init(nullptr, nullptr), words);
        expect_refused(DRI_group_create_world(&group), words);
        expect_refused(DRI_commit(group), words);
    }
    barrier();
    if (rank_ == 0)
        first.join();
    else
        code = DRI_finalize();
    EXPECT_EQ(code, DRI_SUCCESS);
    expect_refused(DRI_finalize(), {"the library is not running"});
}

// A thread of process 0 waits for a frame of the last process when the library is ended. The library's progress
// thread ends when DRI_finalize has tried to destroy its endpoint.
TEST_F(Finalize, IsRefusedOnAllProcessesWhileAThreadIsInAFrame) {
    constexpr const char *progress_thread = "dri-progress";
    for (const int64_t ways : {DRI_WAY_SELF | DRI_WAY_MESSAGE, DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT}) {
        start("60");
        Xfer endpoint;
        if (rank_ == 0 || rank_ == last_) {
            const Dist dist = make_dist(make_gdo({1 << 20}), make_blocks(1, 0), make_group({rank_}));
            endpoint = make_xfer("busy", rank_ == 0 ? DRI_SINK : DRI_SOURCE, dist);
            expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
            if (rank_ == 0)
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
            commit(make_group({0, last_}));
            expect_success(DRI_do("busy", DRI_XFER_NULL), "DRI_do");
        }
        const auto in_use = [] {
            return std::string(DRI_error_message()).find("in use by another thread") != std::string::npos;
        };
        const std::vector<std::string> words{"transfer 'busy' is in use by another thread", "process 0"};
        if (rank_ == 0) {
            EXPECT_TRUE(comes_to_have(progress_thread, true)); // else it would seem to have ended
            std::string message;
            std::thread user([&, handle = endpoint.get()] {
                int code = DRI_ERR_STATE;
                do // until the query below is not just in progress
                    code = DRI_do(nullptr, handle);
                while (code == DRI_ERR_STATE && in_use());
                EXPECT_EQ(code, DRI_ERR_STATE);
                message = DRI_error_message();
            });
            for (int done = 0; DRI_test(nullptr, endpoint, &done) != DRI_ERR_STATE || !in_use();)
                std::this_thread::yield();
            std::thread ends([&] { expect_refused(DRI_finalize(), words); });
            while (comes_to_have(progress_thread, false))
                std::this_thread::yield();
            barrier();
            ends.join();
            user.join();
            EXPECT_NE(message.find("process " + std::to_string(last_)), std::string::npos) << message;
        } else {
            barrier();
            expect_refused(DRI_finalize(), words);
        }
        *endpoint.out() = {};
        int runs = 0;
        expect_success(DRI_initialized(&runs), "DRI_initialized");
        EXPECT_EQ(runs, 1);
        EXPECT_EQ(DRI_do("busy", DRI_XFER_NULL), DRI_ERR_ARG) << "its name is free";
        barrier();
        ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
}

// Process 0 has sources in its own memory whose frames the last process does not take. They share half the
// deadline, so the others find process 0 in time.
TEST_F(Finalize, WaitsOnceForAllSources) {
    start("1");
    constexpr int64_t sources = 5, elements = 1 << 14;
    {
        std::vector<std::vector<float>> memory;
        std::vector<Xfer> endpoints;
        if (rank_ == 0 || rank_ == last_) {
            const Dist dist = make_dist(make_gdo({elements}), make_blocks(1, 0), make_group({rank_}));
            for (int i = 0; i < sources; ++i) {
                const std::string name = "stuck " + std::to_string(i);
                if (rank_ == last_) {
                    endpoints.push_back(make_xfer(name, DRI_SINK, dist));
                    continue;
                }
                memory.emplace_back(2 * elements);
                void *buffers[]{memory.back().data(), memory.back().data() + elements};
                Xfer xfer;
                expect_success(
                    DRI_xfer_create(name.c_str(), DRI_SOURCE, dist, DRI_ROW_MAJOR, 2, buffers, xfer.out()),
                    "DRI_xfer_create");
                endpoints.push_back(std::move(xfer));
            }
            commit(make_group({0, last_}));
            if (rank_ == 0)
                for (const Xfer &source : endpoints)
                    expect_success(DRI_insert(source, nullptr), "DRI_insert");
        }
        barrier();
        if (rank_ != last_) {
            const auto begin = std::chrono::steady_clock::now();
            EXPECT_EQ(DRI_finalize(), DRI_ERR_TIMEOUT);
            EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(sources));
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("waited for process " + std::to_string(last_) + ";"), std::string::npos)
                << message;
            for (Xfer &endpoint : endpoints)
                *endpoint.out() = {};
        }
        barrier();
    }
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

// Messages of an update under way arrive in the array's memory, so that goes last.
TEST_F(Finalize, EndsTransfersOfArraysBeforeTheirMemory) {
    for (const char *ways : {"self,message", "self,message,direct"}) {
        setenv("DRI_WAYS", ways, 1);
        start("60");
        MapDim rule = block_dim(0, int64_t{100'000} * size_);
        rule.left = rule.right = 50'000;
        Group group = make_world();
        Map map = make_map({rule}, group);
        Domain domain = make_domain(map, {{0, 1, int64_t{100'000} * size_}});
        Array array = make_array(domain);
        expect_success(DRI_array_update_overlap_start(array), "DRI_array_update_overlap_start");
        barrier();
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
        *array.out() = {};
        *domain.out() = {};
        *map.out() = {};
        *group.out() = {};
        barrier();
    }
    unsetenv("DRI_WAYS");
}

} // namespace
} // namespace dri::test
