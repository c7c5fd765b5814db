// Objects that make this process run out of a resource as long as they exist.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <utility>

namespace dri::test {

// No thread can be started: the stack that each would receive is larger than any address space.
class NoMoreThreads {
public:
    NoMoreThreads() {
        pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        pthread_attr_init(&huge);
        pthread_attr_setstacksize(&huge, size_t{1} << 56);
        pthread_setattr_default_np(&huge);
        pthread_attr_destroy(&huge);
    }
    ~NoMoreThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoMoreThreads(const NoMoreThreads &) = delete;
    NoMoreThreads &operator=(const NoMoreThreads &) = delete;

private:
    pthread_attr_t before_;
};

// Limits memory to `bytes` more than the process has. Not under sanitizers, which need more address space.
class LittleMemory {
public:
    explicit LittleMemory(int64_t bytes) {
        int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        getrlimit(RLIMIT_AS, &before_);
        rlimit less = before_;
        less.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + bytes);
        setrlimit(RLIMIT_AS, &less);
    }
    ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
    LittleMemory(const LittleMemory &) = delete;
    LittleMemory &operator=(const LittleMemory &) = delete;

private:
    rlimit before_{};
};

// Takes all memory that the process can get, also what the allocator keeps for small requests. Not under
// sanitizers.
class NoMoreMemory {
public:
    NoMoreMemory() {
        for (size_t size = size_t{1} << 30; size >= 16; size = size > 2048 ? size / 2 : size - 8)
            while (void *const block = std::malloc(size)) // NOLINT(cppcoreguidelines-no-malloc)
                first_ = new (block) Block{first_};
    }
    ~NoMoreMemory() {
        while (first_)
            std::free(std::exchange(first_, first_->next)); // NOLINT(cppcoreguidelines-no-malloc)
    }
    NoMoreMemory(const NoMoreMemory &) = delete;
    NoMoreMemory &operator=(const NoMoreMemory &) = delete;

private:
    struct Block {
        Block *next;
    };
    const LittleMemory limit_{0};
    Block *first_ = nullptr;
};

} // namespace dri::test
