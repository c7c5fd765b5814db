// The barrier at the start and at the end of each measurement.
#pragma once

#include "shared_memory.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace bench {

// Blocks each process until all have arrived. It uses flags in shared memory, one cache line per sender, if all
// processes are on one node and each can have a core; otherwise MPI_Barrier. Construction and destruction are
// collective.
class Barrier {
public:
    Barrier();
    void operator()();
    const char *kind() const { return flags_ ? "flags in shared memory" : "MPI_Barrier"; }

private:
    // The distance keeps the adjacent-line prefetcher from pairing two flags.
    struct alignas(256) Flag {
        std::atomic<int64_t> round;
    };

    int64_t round_ = 0;
    std::unique_ptr<SharedArray<Flag>> flags_;
    std::vector<Flag *> peer_flags_,
        own_flags_; // per step: the flag that this process sets, the one that it waits for
};

} // namespace bench
