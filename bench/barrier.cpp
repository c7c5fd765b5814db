#include "barrier.hpp"

#include "world.hpp"

#include <sched.h>

namespace bench {

namespace {

// Collective. Whether all processes are on one node and may together use at least one core per process.
bool each_has_a_core(MPI_Comm node) {
    int on_node = 0;
    MPI_Comm_size(node, &on_node);
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node);
    return on_all(on_node == world().size && CPU_COUNT(&all) >= on_node);
}

// Spins at first. After that it also calls MPI, so that MPI can finish operations for which others may wait.
void wait_for(const std::atomic<int64_t> &round, int64_t wanted) {
    constexpr int patience = 10'000;
    for (int spins = 0; round.load(std::memory_order_acquire) < wanted; ++spins) {
        if (spins < patience)
            continue;
        int is_there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &is_there, MPI_STATUS_IGNORE);
        sched_yield();
    }
}

} // namespace

Barrier::Barrier() {
    const World w = world();
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, w.rank, MPI_INFO_NULL, &node);
    if (each_has_a_core(node)) {
        // A dissemination barrier: in step k each process signals the process 2^k ranks further on. After the last
        // step each process has received the signals of all others, directly or through others.
        int steps = 0;
        while ((1 << steps) < w.size)
            ++steps;
        flags_ = std::make_unique<SharedArray<Flag>>(node, static_cast<size_t>(w.size * steps));
        const auto flag = [&](int rank, int step) {
            return &(*flags_)[static_cast<size_t>(rank % w.size * steps + step)];
        };
        for (int k = 0; k < steps; ++k) {
            peer_flags_.push_back(flag(w.rank + (1 << k), k));
            own_flags_.push_back(flag(w.rank, k));
        }
    }
    MPI_Comm_free(&node);
}

void Barrier::operator()() {
    if (!flags_) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    ++round_;
    for (size_t k = 0; k < peer_flags_.size(); ++k) {
        peer_flags_[k]->round.store(round_, std::memory_order_release);
        wait_for(own_flags_[k]->round, round_);
    }
}

} // namespace bench
