// Threads that help with copies. They belong to the process's transfers that use them, together, and end with the
// last of those. Between frames they look for work for a moment, then sleep until they are woken.
#pragma once

#include "base/memory.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace dri {

class Workers {
public:
    // crowded: as of Transport; who waits gives its core away at once then.
    explicit Workers(bool crowded);
    ~Workers();
    Workers(const Workers &) = delete;
    Workers &operator=(const Workers &) = delete;

    // Starts threads until there are so many. Waits for who runs shares. Fails with DRI_ERR_LIMIT where the system
    // gives no more.
    void grow(int64_t threads);

    // Calls f(i) for each i below `slices`, some on workers, f(0) on the caller's thread, and returns when all are
    // done. The caller takes back what a worker has not begun when its own share is done, so a worker that sleeps
    // costs no more than to wake it. Where another thread has the workers, the caller does all by itself. What a
    // share fails with, the call fails with, once none runs any more; some may not have been called then.
    // Allocates nothing; calls the system only to wake and to sleep.
    template <class F> void run(int64_t slices, const F &f) {
        const Task task{[](const void *context, int64_t i) { (*static_cast<const F *>(context))(i); }, &f, slices,
                        1};
        run(task);
    }

private:
    // Shares first, first + stride, ...
    struct Task {
        void (*call)(const void *context, int64_t slice) = nullptr;
        const void *context = nullptr;
        int64_t slices = 0, stride = 1;
        void run(int64_t first) const {
            for (int64_t i = first; i < slices; i += stride)
                call(context, i);
        }
    };
    // The caller offers a task; the worker takes it, or the caller takes it back. It is the caller's but while it
    // is taken.
    enum State : uint32_t { idle, offered, taken, stopping };
    struct alignas(cache_line_bytes) Worker {
        std::atomic<uint32_t> state = idle;
        Task task;
        int64_t first = 0;
        std::exception_ptr failure;
        std::thread thread;
    };

    void run(Task task);
    void work(Worker &me) const;
    uint32_t wait_while(const std::atomic<uint32_t> &state, uint32_t value) const;

    std::mutex owned_; // by who runs shares, or changes the workers
    std::deque<Worker> workers_;
    bool crowded_;
};

// The workers of one process, while anybody uses them.
class WorkerPool {
public:
    // At least threads - 1 of them, for the caller is one; nothing for one thread. Not for two threads at once.
    std::shared_ptr<Workers> get(int64_t threads, bool crowded);

private:
    std::weak_ptr<Workers> workers_;
};

// To hand a share to a thread and to wait for it costs about as much as to copy half as many bytes in cache.
constexpr int64_t default_share_bytes = int64_t{32} << 10;

// Shares of so many bytes for a team of so many threads.
int64_t slices_for(int64_t bytes, int64_t threads, int64_t min_bytes);

// Those that share the copies of one end. Fewer where each would get less than min_bytes.
struct Team {
    std::shared_ptr<Workers> workers; // null: the caller alone
    int64_t threads = 1;
    int64_t min_bytes = default_share_bytes;

    int64_t slices_of(int64_t bytes) const;
};

// A plain copy by a team.
void copy_memory(const Team &team, std::byte *dst, const std::byte *src, int64_t bytes);

} // namespace dri
