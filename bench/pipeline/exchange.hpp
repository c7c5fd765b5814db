// One MPI_Alltoallv between some processes, from and to packed samples.
#pragma once

#include "radar.hpp"

#include <functional>
#include <mpi.h>
#include <vector>

namespace pipeline_bench {

// Some processes of the world, in ascending order.
class Members {
public:
    // Collective over the world.
    explicit Members(std::vector<int> ranks);
    ~Members();
    Members(const Members &) = delete;
    Members &operator=(const Members &) = delete;

    bool held() const { return comm_ != MPI_COMM_NULL; }
    MPI_Comm comm() const { return comm_; }
    int count() const { return static_cast<int>(ranks_.size()); }
    int rank(int member) const { return ranks_[static_cast<std::size_t>(member)]; }
    int index_of(int rank) const; // among the members

private:
    std::vector<int> ranks_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

class Exchange {
public:
    // `sent` and `received` return how many samples this process sends to a member and receives from it. The sum
    // of each over all members must be below 2^30. On a process that is not a member, the exchange holds nothing.
    using Count = std::function<std::int64_t(int member)>;
    Exchange(const Members &members, const Count &sent, const Count &received);

    radar::cshort *outgoing(int member) { return outgoing_.data() + sent_.begins[slot_of(member)] / 2; }
    const radar::cshort *incoming(int member) const {
        return incoming_.data() + received_.begins[slot_of(member)] / 2;
    }
    void run();

private:
    // Counts and offsets in units of MPI_INT16_T, two per sample.
    struct Side {
        std::vector<int> counts, begins;
        std::size_t samples = 0;
    };
    static Side side(int members, const Count &count);
    static std::size_t slot_of(int member) { return static_cast<std::size_t>(member); }

    MPI_Comm comm_;
    Side sent_, received_;
    std::vector<radar::cshort> outgoing_, incoming_;
};

} // namespace pipeline_bench
