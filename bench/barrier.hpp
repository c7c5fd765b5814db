// Where what is measured begins and ends.
#pragma once

#include "shared_memory.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace bench {

// Holds every process until all have come. By flags in shared memory, one cache line for each sender, where all
// processes are on one node and each can have a core; else MPI_Barrier. Made and ended by all together.
class Barrier {
public:
    Barrier();
    void operator()();
    const char *kind() const { return flags_ ? "flags in shared memory" : "MPI_Barrier"; }

private:
    // Far enough apart that no prefetcher pairs them.
    struct alignas(256) Flag {
        std::atomic<int64_t> round;
    };

    int64_t round_ = 0;
    std::unique_ptr<SharedArray<Flag>> flags_;
    std::vector<Flag *> told_, consensus_; // in each step: of another process, of this one
};

} // namespace bench
