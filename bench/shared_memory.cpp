#include "shared_memory.hpp"

#include <exception>

namespace bench {

namespace {

constexpr size_t alignment = 256; // MPI guarantees no alignment of shared windows

} // namespace

SharedMemory::SharedMemory(MPI_Comm node, size_t bytes) {
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    void *memory = nullptr;
    const auto mine = static_cast<MPI_Aint>(rank == 0 ? bytes + alignment : 0);
    MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, node, &memory, &window_);
    MPI_Aint shared_bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &shared_bytes, &unit, &memory);
    auto space = static_cast<size_t>(shared_bytes);
    data_ = static_cast<std::byte *>(std::align(alignment, bytes, memory, space));
}

SharedMemory::~SharedMemory() {
    // MPI_Win_free is collective: a process that fails alone would wait here for the others.
    if (std::uncaught_exceptions() == 0)
        MPI_Win_free(&window_);
}

} // namespace bench
