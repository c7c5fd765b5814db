#include "barrier.hpp"

#include "world.hpp"

#include <sched.h>

namespace bench {

namespace {

// On every process: whether all are on one node and have as many cores together as they are.
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

// Spins, and then lets MPI finish what others may wait for.
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
        // In step k everybody tells the process 2^k further on; then all have heard of all.
        int steps = 0;
        while ((1 << steps) < w.size)
            ++steps;
        flags_ = std::make_unique<SharedArray<Flag>>(node, static_cast<size_t>(w.size * steps));
        const auto flag = [&](int rank, int step) {
            return &(*flags_)[static_cast<size_t>(rank % w.size * steps + step)];
        };
        for (int k = 0; k < steps; ++k) {
            told_.push_back(flag(w.rank + (1 << k), k));
            consensus_.push_back(flag(w.rank, k));
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
    for (size_t k = 0; k < told_.size(); ++k) {
        told_[k]->round.store(round_, std::memory_order_release);
        wait_for(consensus_[k]->round, round_);
    }
}

} // namespace bench
