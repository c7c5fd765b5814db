// How workers wait for tasks, take them, and hand them back.
#include "exec/workers.hpp"

#include "base/error.hpp"
#include "base/signal_free_thread.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

namespace dri::exec {

namespace {

constexpr int spins = 4000; // about 10 us
constexpr int yields = 400; // about 200 us if no other thread needs the core

// Changes the state from `from` to `to`. False if it was another one.
bool moves_on(std::atomic<uint32_t> &state, uint32_t from, uint32_t to) {
    return state.compare_exchange_strong(from, to);
}

} // namespace

Workers::Workers(bool crowded) : crowded_(crowded) {}

Workers::~Workers() {
    for (Worker &worker : workers_) {
        worker.state.store(stopping);
        worker.state.notify_one();
        worker.thread.join();
    }
}

void Workers::grow(int64_t threads) {
    const std::lock_guard lock(owned_);
    while (std::ssize(workers_) < threads) {
        Worker &worker = workers_.emplace_back();
        try {
            worker.thread = start_signal_free_thread([this, &worker] { work(worker); });
        } catch (const std::system_error &error) {
            workers_.pop_back();
            fail(DRI_ERR_LIMIT, "the system cannot start another thread: {} of {} exist: {}", workers_.size(),
                 threads, error.what());
        } catch (...) { // such as no memory for what the thread starts with
            workers_.pop_back();
            throw;
        }
    }
}

// A thread that was busy a moment ago may soon be needed again. Therefore it spins first, then yields, then
// sleeps. All stores to a state are sequentially consistent: notify_one() looks for sleepers, and that must not
// happen before the store.
uint32_t Workers::wait_while(const std::atomic<uint32_t> &state, uint32_t value) const {
    uint32_t now = state.load(std::memory_order_acquire);
    for (int looks = crowded_ ? spins : 0; now == value; now = state.load(std::memory_order_acquire)) {
        if (looks >= spins + yields)
            state.wait(value, std::memory_order_acquire);
        else if (++looks > spins)
            sched_yield();
    }
    return now;
}

// A worker that loses the race for its task goes back to waiting: the caller has taken the task back.
void Workers::work(Worker &me) const {
    while (wait_while(me.state, idle) != stopping) {
        if (!moves_on(me.state, offered, taken))
            continue;
        try {
            me.task.run(me.first);
        } catch (...) {
            me.failure = std::current_exception();
        }
        me.state.store(idle);
        me.state.notify_one();
    }
}

// Offers tasks to the workers, runs the first one here, and takes back those that no worker has started by then.
// Waits for all others even after a failure, because they use the caller's data.
void Workers::run(Task task) {
    const std::unique_lock lock(owned_, std::try_to_lock);
    const int64_t helpers = lock ? std::min<int64_t>(task.slices - 1, std::ssize(workers_)) : 0;
    task.stride = helpers + 1;
    for (int64_t i = 0; i < helpers; ++i) {
        Worker &worker = workers_[static_cast<size_t>(i)];
        worker.task = task;
        worker.first = i + 1;
        worker.state.store(offered);
        worker.state.notify_one();
    }
    std::exception_ptr failure;
    const auto run_here = [&](int64_t first) {
        try {
            if (!failure)
                task.run(first);
        } catch (...) {
            failure = std::current_exception();
        }
    };
    run_here(0);
    for (int64_t i = 0; i < helpers; ++i) {
        Worker &worker = workers_[static_cast<size_t>(i)];
        if (moves_on(worker.state, offered, idle)) {
            run_here(worker.first);
            continue;
        }
        wait_while(worker.state, taken);
        const std::exception_ptr other = std::exchange(worker.failure, nullptr);
        if (!failure)
            failure = other;
    }
    if (failure)
        std::rethrow_exception(failure);
}

std::shared_ptr<Workers> WorkerPool::get(int64_t threads, bool crowded) {
    if (threads <= 1)
        return nullptr;
    auto workers = workers_.lock();
    if (!workers)
        workers_ = workers = std::make_shared<Workers>(crowded);
    workers->grow(threads - 1);
    return workers;
}

int64_t slices_for(int64_t bytes, int64_t threads, int64_t min_bytes) {
    return std::clamp<int64_t>(bytes / min_bytes, 1, threads);
}

int64_t Team::slices_of(int64_t bytes) const { return workers ? slices_for(bytes, threads, min_bytes) : 1; }

void copy_memory(const Team &team, std::byte *dst, const std::byte *src, int64_t bytes) {
    if (bytes == 0)
        return; // an endpoint without bytes may have no buffer
    const int64_t slices = team.slices_of(bytes);
    const auto copy = [&](int64_t i) {
        const auto at = [&](int64_t k) {
            return k == slices ? bytes : bytes / slices / page_bytes * page_bytes * k;
        };
        std::memcpy(dst + at(i), src + at(i), static_cast<size_t>(at(i + 1) - at(i)));
    };
    if (slices == 1)
        copy(0);
    else
        team.workers->run(slices, copy);
}

} // namespace dri::exec
