// Distributions as bytes, and bytes that all processes share.
#pragma once

#include "support/objects.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace dri::test {

inline std::vector<std::byte> packed(DRI_Dist dist) {
    size_t n = 0;
    expect_success(DRI_dist_pack(dist, nullptr, 0, &n), "DRI_dist_pack");
    std::vector<std::byte> bytes(n);
    expect_success(DRI_dist_pack(dist, bytes.data(), n, nullptr), "DRI_dist_pack");
    return bytes;
}

// Collective over the world: every process receives what the first one has.
inline void share(std::vector<std::byte> &bytes) {
    unsigned long size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    bytes.resize(size);
    MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
}

} // namespace dri::test
