// The processes of a test, and sums and extremes over all of them.
#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace dri::test {

struct World {
    int rank = 0, size = 1;
};

inline World world() {
    World w;
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    return w;
}

// The minimum and the maximum of a value over all processes.
inline std::pair<int, int> range_of(int mine) {
    std::pair<int, int> range;
    MPI_Allreduce(&mine, &range.first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &range.second, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return range;
}

inline long long sum_of(long long mine) {
    long long sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

inline bool on_one_node() {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int size = 0;
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    return range_of(size).first == world().size;
}

// Waits for one message. Sleeps in between if that takes long: the others may wait for a deadline, and other tests
// need the cores.
inline void wait_for_token(int from, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
    for (int done = 0, looks = 0; PMPI_Test(&request, &done, MPI_STATUS_IGNORE), !done; ++looks)
        if (looks > 200)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        else
            std::this_thread::yield();
}

// By messages that nobody counts. A collective call of MPI must not meet another one, which a thread of a test may
// be in.
inline void barrier() {
    constexpr int tag = 32'000;
    const World all = world();
    for (int p = 1; p < all.size && all.rank == 0; ++p)
        wait_for_token(p, tag);
    if (all.rank > 0) {
        PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        wait_for_token(0, tag);
    }
    for (int p = 1; p < all.size && all.rank == 0; ++p)
        PMPI_Send(nullptr, 0, MPI_BYTE, p, tag, MPI_COMM_WORLD);
}

// The ranks first .. first + n - 1.
inline std::vector<int> ranks(int n, int first = 0) {
    std::vector<int> out;
    for (int i = 0; i < n; ++i)
        out.push_back(first + i);
    return out;
}

inline std::vector<int> all_ranks() { return ranks(world().size); }

} // namespace dri::test
