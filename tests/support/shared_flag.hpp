// A flag in memory that all processes of a node share. Waiting for it calls neither the library nor MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <new>
#include <thread>

namespace dri::test {

class SharedFlag {
public:
    // Collective over the world, whose processes must share one node.
    SharedFlag() {
        int rank = 0, unit = 0;
        MPI_Aint bytes = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Win_allocate_shared(rank == 0 ? sizeof(std::atomic<int>) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flag_,
                                &window_);
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &flag_);
        if (rank == 0)
            new (flag_) std::atomic<int>(0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~SharedFlag() { MPI_Win_free(&window_); } // collective
    SharedFlag(const SharedFlag &) = delete;
    SharedFlag &operator=(const SharedFlag &) = delete;

    void raise() { *flag_ = 1; }
    void wait() const {
        while (!*flag_)
            std::this_thread::yield();
    }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::atomic<int> *flag_ = nullptr;
};

} // namespace dri::test
