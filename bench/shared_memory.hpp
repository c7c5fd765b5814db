#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <new>

namespace bench {

// Memory that processes of one node share while this object lives. It is aligned to cache lines. Construction and
// destruction are collective over these processes.
class SharedMemory {
public:
    SharedMemory(MPI_Comm node, size_t bytes);
    ~SharedMemory();
    SharedMemory(const SharedMemory &) = delete;
    SharedMemory &operator=(const SharedMemory &) = delete;

    std::byte *data() const { return data_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::byte *data_ = nullptr;
};

// An array of n objects in shared memory. The first process constructs them.
template <class T> class SharedArray {
public:
    SharedArray(MPI_Comm node, size_t n) : memory_(node, n * sizeof(T)) {
        int rank = 0;
        MPI_Comm_rank(node, &rank);
        if (rank == 0)
            std::uninitialized_value_construct_n(reinterpret_cast<T *>(memory_.data()), n);
        MPI_Barrier(node);
    }
    T &operator[](size_t i) const { return *std::launder(reinterpret_cast<T *>(memory_.data()) + i); }

private:
    SharedMemory memory_;
};

} // namespace bench
