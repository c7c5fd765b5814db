// Teams: threads of the program that share the work of a loop.
#pragma once

#include <dri/cpp/error.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {

// The calling thread and tasks - 1 threads, which wait for work: actively for 50 us, then asleep.
class Team {
public:
    // Throws DRI_ERR_ARG for tasks below 1.
    explicit Team(int tasks) : size_(tasks) {
        if (tasks < 1)
            detail::fail(DRI_ERR_ARG, "Team: the number of tasks is below 1");
        failures_.resize(static_cast<std::size_t>(tasks));
        threads_.reserve(static_cast<std::size_t>(tasks));
        try {
            for (int task = 1; task < tasks; ++task)
                threads_.emplace_back([this, task] { work(task); });
        } catch (...) {
            begin_round(); // without a call: those that have started end
            throw;
        }
    }
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;
    ~Team() {
        call_ = nullptr;
        begin_round();
    }

    int size() const noexcept { return size_; }

    // Calls f(task) for the tasks 0 to size - 1 at the same time, 0 on the calling thread. Returns when all have
    // returned, and throws what the first of them has thrown. One thread at a time may call it, not from f.
    template <class F> void run(const F &f) {
        job_ = &f;
        call_ = [](const void *job, int task) { (*static_cast<const F *>(job))(task); };
        running_.store(size_ - 1, std::memory_order_relaxed);
        begin_round();
        call(0);
        wait_while(running_, [](int n) { return n != 0; });
        std::exception_ptr first;
        for (std::exception_ptr &failure : failures_)
            if (auto taken = std::exchange(failure, nullptr); taken && !first)
                first = taken;
        if (first)
            std::rethrow_exception(first);
    }

private:
    template <class Pending> static void wait_while(const std::atomic<int> &number, const Pending &pending) {
        using Clock = std::chrono::steady_clock;
        for (const auto until = Clock::now() + std::chrono::microseconds(50); Clock::now() < until;) {
            for (int i = 0; i < 32; ++i)
                if (!pending(number.load(std::memory_order_acquire)))
                    return;
            std::this_thread::yield(); // the other thread may be on this core
        }
        for (int n = number.load(std::memory_order_acquire); pending(n);
             n = number.load(std::memory_order_acquire))
            number.wait(n, std::memory_order_acquire);
    }

    void begin_round() {
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
    }

    void call(int task) noexcept {
        try {
            call_(job_, task);
        } catch (...) {
            failures_[static_cast<std::size_t>(task)] = std::current_exception();
        }
    }

    void work(int task) {
        for (unsigned seen = 0;; ++seen) {
            wait_while(round_, [seen](int round) { return static_cast<unsigned>(round) == seen; });
            if (!call_)
                return;
            call(task);
            if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                running_.notify_one();
        }
    }

    int size_;
    const void *job_ = nullptr;
    void (*call_)(const void *, int) = nullptr; // null: the threads end
    std::vector<std::exception_ptr> failures_;  // of each task
    alignas(64) std::atomic<int> round_{0};     // each on a cache line of its own
    alignas(64) std::atomic<int> running_{0};
    std::vector<std::jthread> threads_; // last: they end before what they use
};

} // namespace v1
} // namespace dri
