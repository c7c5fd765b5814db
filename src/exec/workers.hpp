// Threads that run slices of copies. All transfers of a process that use them share them; they end with the last
// such transfer. Between frames they look for work for a moment, then sleep until they are woken.
#pragma once

#include "base/memory.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace dri::exec {

class Workers {
public:
    // crowded: as in Transport; a waiting thread then yields its core at once.
    explicit Workers(bool crowded);
    ~Workers();
    Workers(const Workers &) = delete;
    Workers &operator=(const Workers &) = delete;

    // Starts threads until there are `threads`. Waits for a call that runs slices. Fails with DRI_ERR_LIMIT if the
    // system cannot start another one. The workers that exist stay as they are after any failure.
    void grow(int64_t threads);

    // Calls f(i) for each i below `slices`, and returns when all calls are done. f(0) runs on the caller's thread,
    // others may run on workers. When the caller's own slice is done, it takes back what no worker has started. A
    // sleeping worker therefore costs no more than the wake-up. If another thread uses the workers, the caller
    // runs all slices itself. If a slice throws, the call throws the same once no slice runs any more; some slices
    // may not have run then. Allocates nothing. Makes system calls only to wake and to sleep.
    template <class F> void run(int64_t slices, const F &f) {
        const Task task{[](const void *context, int64_t i) { (*static_cast<const F *>(context))(i); }, &f, slices,
                        1};
        run(task);
    }

private:
    // Runs the slices first, first + stride, ...
    struct Task {
        void (*call)(const void *context, int64_t slice) = nullptr;
        const void *context = nullptr;
        int64_t slices = 0, stride = 1;
        void run(int64_t first) const {
            for (int64_t i = first; i < slices; i += stride)
                call(context, i);
        }
    };
    // The caller offers a task. Then the worker takes it, or the caller takes it back. The task belongs to the
    // worker only while it is taken.
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

    std::mutex owned_; // held while a call runs slices or changes the workers
    std::deque<Worker> workers_;
    bool crowded_;
};

// The workers of a process. They exist while a transfer uses them.
class WorkerPool {
public:
    // At least threads - 1 workers, because the caller is a thread, too. Null for one thread. Not thread-safe.
    std::shared_ptr<Workers> get(int64_t threads, bool crowded);

private:
    std::weak_ptr<Workers> workers_;
};

// Default for the minimum bytes of a slice. To hand a slice to a thread and wait for it costs about as much as to
// copy half as many bytes in cache.
constexpr int64_t default_share_bytes = int64_t{32} << 10;

// The number of slices for a copy: at most one per thread, none shorter than min_bytes.
int64_t slices_for(int64_t bytes, int64_t threads, int64_t min_bytes);

// The threads that share the copies of one endpoint. Fewer take part if a slice would be shorter than min_bytes.
struct Team {
    std::shared_ptr<Workers> workers; // null: the caller alone
    int64_t threads = 1;
    int64_t min_bytes = default_share_bytes;

    int64_t slices_of(int64_t bytes) const;
};

// Copies contiguous bytes with a team.
void copy_memory(const Team &team, std::byte *dst, const std::byte *src, int64_t bytes);

} // namespace dri::exec
