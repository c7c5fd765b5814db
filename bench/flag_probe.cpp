#include "machine.hpp"

#include "shared_memory.hpp"
#include "world.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace bench {

namespace {

// Each flag has its own cache line. The distance keeps the adjacent-line prefetcher from pairing them.
struct Flags {
    alignas(256) std::atomic<int> ping;
    alignas(256) std::atomic<int> pong;
};

// Yields after a while, in case there are fewer cores than processes.
void wait_for(const std::atomic<int> &flag, int value) {
    constexpr int patience = 10'000;
    for (int spins = 0; flag.load(std::memory_order_acquire) != value; ++spins)
        if (spins > patience)
            sched_yield();
}

double play(Flags &flags, int first_round, int rounds, bool serves) {
    const double start = MPI_Wtime();
    for (int round = first_round; round < first_round + rounds; ++round) {
        if (serves)
            flags.ping.store(round, std::memory_order_release);
        wait_for(serves ? flags.pong : flags.ping, round);
        if (!serves)
            flags.pong.store(round, std::memory_order_release);
    }
    return (MPI_Wtime() - start) / rounds;
}

double measure(MPI_Comm pair, bool serves) {
    constexpr int series = 9;
    constexpr int rounds = 1000;
    const SharedArray<Flags> flags(pair, 1);
    double times[series] = {};
    for (int i = 0; i < series; ++i)
        times[i] = play(flags[0], 1 + i * rounds, rounds, serves);
    MPI_Barrier(pair);
    std::sort(std::begin(times), std::end(times));
    return times[series / 2];
}

} // namespace

std::optional<double> flag_round_trip_ns() {
    const World w = world();
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, w.rank, MPI_INFO_NULL, &node);
    int on_node = 0;
    MPI_Comm_rank(node, &on_node);
    // Process 1 shares the node of process 0 if it is the second process of its node.
    const bool takes_part = w.rank == 0 || (w.rank == 1 && on_node == 1);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, w.rank, &pair);
    const bool is_measured = sum(takes_part ? 1 : 0) == 2;
    double seconds = 0;
    if (takes_part && is_measured)
        seconds = measure(pair, w.rank == 0);
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    MPI_Comm_free(&node);
    if (!is_measured)
        return std::nullopt;
    return 1e9 * greatest(w.rank == 0 ? seconds : 0.0);
}

} // namespace bench
