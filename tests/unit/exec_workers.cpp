// Worker threads: which slices they run, how they fail, who uses them, and when they finish.
#include "exec/team_copies.hpp"

#include "base/error.hpp"
#include "kernel/bind.hpp"
#include "support/sanitizer.hpp"
#include "support/shortage.hpp"
#include "support/threads_here.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <set>
#include <thread>

namespace dri::test {

namespace {

// How often each slice is run, and by how many threads.
struct Seen {
    std::array<std::atomic<int>, 16> times{};
    std::mutex mutex;
    std::set<std::thread::id> threads;

    void operator()(int64_t slice) {
        ++times[static_cast<size_t>(slice)];
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
    }
    void expect(int64_t slices) const {
        for (int64_t i = 0; i < std::ssize(times); ++i)
            EXPECT_EQ(times[static_cast<size_t>(i)], i < slices ? 1 : 0) << "slice " << i << " of " << slices;
    }
};

// Slices that wait for each other show that as many threads have started.
class Meeting {
public:
    explicit Meeting(int64_t slices) : missing_(slices) {}
    void come() {
        --missing_;
        while (missing_ > 0)
            std::this_thread::yield();
    }

private:
    std::atomic<int64_t> missing_;
};

std::thread::id thread_of_first_share(exec::Workers &workers) {
    std::thread::id id;
    workers.run(3, [&](int64_t i) {
        if (i == 0)
            id = std::this_thread::get_id();
    });
    return id;
}

} // namespace

TEST(Workers, RunEverySliceOnce) {
    for (const bool crowded : {false, true}) {
        exec::Workers workers(crowded);
        for (const int64_t threads : {0, 1, 3}) {
            workers.grow(threads);
            for (const int64_t slices : {1, 2, 4, 11}) {
                Seen seen;
                Meeting meeting(slices);
                const bool all_at_once = slices <= threads + 1;
                workers.run(slices, [&](int64_t i) {
                    seen(i);
                    if (all_at_once)
                        meeting.come();
                });
                seen.expect(slices);
                EXPECT_LE(std::ssize(seen.threads), threads + 1);
                EXPECT_TRUE(!all_at_once || std::ssize(seen.threads) == slices);
            }
        }
        EXPECT_EQ(thread_of_first_share(workers), std::this_thread::get_id());
    }
}

TEST(Workers, AreWokenHoweverLongTheySlept) {
    exec::Workers workers(false);
    workers.grow(2);
    for (int i = 0; i < 300; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(i % 60 * 10));
        Meeting meeting(3);
        workers.run(3, [&](int64_t) { meeting.come(); });
    }
}

// Many short runs: workers are too late for some slices and in time for others.
TEST(Workers, AreNotWaitedForIfTheyHaveNotStarted) {
    exec::Workers workers(false);
    workers.grow(3);
    std::array<int64_t, 4> sums{}; // each slice writes its own element
    constexpr int64_t runs = 20000;
    for (int64_t r = 0; r < runs; ++r)
        workers.run(4, [&](int64_t i) { sums[static_cast<size_t>(i)] += r; });
    for (const int64_t sum : sums)
        EXPECT_EQ(sum, runs * (runs - 1) / 2);
}

TEST(Workers, FailWithTheErrorOfASlice) {
    exec::Workers workers(false);
    workers.grow(2);
    for (const int64_t wrong : {0, 1, 2}) {
        std::atomic<int> done = 0;
        Meeting meeting(3);
        const auto fail_one = [&](int64_t i) {
            meeting.come();
            if (i == wrong)
                fail(DRI_ERR_TRANSPORT, "share {}", i);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++done;
        };
        try {
            workers.run(3, fail_one);
            ADD_FAILURE() << "slice " << wrong << " has not failed";
        } catch (const Error &error) {
            EXPECT_EQ(error.code(), DRI_ERR_TRANSPORT);
            EXPECT_EQ(error.what(), fmt::format("share {}", wrong));
        }
        EXPECT_EQ(done, 2) << "all threads have finished";
        Seen seen;
        workers.run(3, [&](int64_t i) { seen(i); });
        seen.expect(3);
    }
}

TEST(Workers, ThatTheSystemRefusesAreReportedAndDoNotHarmTheOthers) {
    exec::Workers workers(false);
    workers.grow(1);
    {
        const NoMoreThreads shortage;
        try {
            workers.grow(3);
            ADD_FAILURE() << "threads were started without stacks";
        } catch (const Error &error) {
            EXPECT_EQ(error.code(), DRI_ERR_LIMIT);
            EXPECT_NE(std::string(error.what()).find("1 of 3"), std::string::npos) << error.what();
        }
    }
    for (const int64_t threads : {2, 4}) {
        workers.grow(threads - 1);
        Seen seen;
        Meeting meeting(threads);
        workers.run(threads, [&](int64_t i) {
            seen(i);
            meeting.come();
        });
        seen.expect(threads);
        EXPECT_EQ(std::ssize(seen.threads), threads);
    }
}

// A thread also needs some memory of the caller's.
TEST(Workers, ThatFindNoMemoryAreReportedAndDoNotHarmTheOthers) {
    if (sanitized)
        GTEST_SKIP() << "a sanitizer needs more address space";
    exec::Workers workers(false);
    workers.grow(1); // there is memory for the next worker beside this one
    bool failed = false;
    {
        const NoMoreMemory shortage;
        try {
            workers.grow(2);
        } catch (const std::bad_alloc &) {
            failed = true;
        }
    }
    EXPECT_TRUE(failed);
    workers.grow(2);
    Seen seen;
    workers.run(3, [&](int64_t i) { seen(i); });
    seen.expect(3);
}

// While one thread uses the workers, another one runs its slices itself and does not wait.
TEST(Workers, ServeOneAtATime) {
    exec::Workers workers(false);
    workers.grow(1);
    std::atomic<bool> begun = false, go_on = false;
    std::thread first([&] {
        workers.run(2, [&](int64_t) {
            begun = true;
            while (!go_on)
                std::this_thread::yield();
        });
    });
    while (!begun)
        std::this_thread::yield();
    Seen seen;
    workers.run(5, [&](int64_t i) { seen(i); });
    seen.expect(5);
    EXPECT_EQ(seen.threads, std::set{std::this_thread::get_id()});
    go_on = true;
    first.join();
}

TEST(Workers, AreSharedByTheProcessAndStopWithTheLastUser) {
    const auto before = threads_settled();
    exec::WorkerPool pool;
    EXPECT_EQ(pool.get(1, false), nullptr) << "the caller counts as a thread";
    auto two = pool.get(2, false), four = pool.get(4, false), three = pool.get(3, false);
    EXPECT_EQ(two, four);
    EXPECT_EQ(two, three);
    EXPECT_EQ(threads_here(), before + 3);
    four.reset();
    three.reset();
    EXPECT_EQ(threads_here(), before + 3);
    two.reset();
    EXPECT_TRUE(threads_come_to(before));
    two = pool.get(2, false);
    EXPECT_EQ(threads_here(), before + 1);
}

TEST(Teams, AreNoLargerThanTheBytesJustify) {
    exec::WorkerPool pool;
    const exec::Team team{pool.get(4, false), 4, 1000}, alone;
    for (const auto &[bytes, slices] : std::initializer_list<std::pair<int64_t, int64_t>>{
             {0, 1}, {1999, 1}, {2000, 2}, {3999, 3}, {4000, 4}, {int64_t{1} << 50, 4}})
        EXPECT_EQ(team.slices_of(bytes), slices) << bytes;
    EXPECT_EQ(alone.slices_of(int64_t{1} << 50), 1);
}

TEST(Teams, CopyMemory) {
    exec::WorkerPool pool;
    for (const int64_t threads : {1, 2, 3})
        for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4096}, size_t{100001}}) {
            const exec::Team team{pool.get(threads, false), threads, 1};
            std::vector<std::byte> from(bytes), to(bytes + 1, std::byte{0x55});
            for (size_t i = 0; i < bytes; ++i)
                from[i] = static_cast<std::byte>(i * 37 + i / 251);
            exec::copy_memory(team, to.data(), from.data(), static_cast<int64_t>(bytes));
            EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
            EXPECT_EQ(to[bytes], std::byte{0x55});
        }
}

// The text names the threads if there are several.
TEST(Teams, CopyInSlices) {
    exec::WorkerPool pool;
    const auto estimate = [](const plan::StridedCopy &copy) { return kernel::bind(copy, kernel::best_isa()); };
    const plan::StridedCopy turn{8, 0, 0, {{100, 8, 8 * 60}, {60, 8 * 100, 8}}};
    std::vector<int64_t> from(6000), to(6000);
    std::iota(from.begin(), from.end(), 0);
    for (const int64_t threads : {1, 2, 3}) {
        std::fill(to.begin(), to.end(), -1);
        const exec::TeamCopies copies({turn}, {pool.get(threads, false), threads, 1}, estimate);
        copies.run(reinterpret_cast<const std::byte *>(from.data()), reinterpret_cast<std::byte *>(to.data()));
        for (int64_t i = 0; i < 6000; ++i)
            ASSERT_EQ(to[static_cast<size_t>(i)], i / 60 + i % 60 * 100) << "place " << i;
        const std::string text = copies.text();
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), threads) << text;
        EXPECT_EQ(text.find("thread") != std::string::npos, threads > 1) << text;
    }
    const exec::TeamCopies none({}, {pool.get(3, false), 3, 1}, estimate);
    EXPECT_TRUE(none.empty());
    none.run(nullptr, nullptr);
}

} // namespace dri::test
