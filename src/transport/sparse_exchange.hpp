// Contents from any member of a group to any other, where nobody knows who will send to it.
#pragma once

#include "transport/transport.hpp"

namespace dri {

// A content under way: the process that it goes to, or that it comes from.
struct Parcel {
    int rank = 0;
    Bytes bytes;
};

// Gathers what goes to each process into one parcel.
class Outbox {
public:
    Writer &to(int rank) { return writers_[rank]; }
    std::vector<Parcel> take() {
        std::vector<Parcel> parcels;
        for (auto &[rank, writer] : writers_)
            parcels.push_back({rank, writer.take()});
        return parcels;
    }

private:
    std::map<int, Writer> writers_;
};

// The parcels sent to this process, in rising order of senders, those of one sender in their order. Collective
// over the members, which are ranks of the world in rising order, the caller among them. Uses tag and tag + 1.
// stamp: the same on all members, and one more than in their last exchange with this tag; what an exchange that
// failed has left behind is known by it, and dropped. The first exchange of a group follows a step that all
// members take, so that none of them is still in an exchange of another group. Cost: two messages for each parcel,
// one of them empty, and two for each neighbour in a binomial tree; what a process receives does not grow with
// what others send to each other. O(log P) steps. Fails with DRI_ERR_TIMEOUT, which names processes waited for;
// others may have succeeded then.
std::vector<Parcel> sparse_exchange(Transport &transport, std::span<const int> members, int tag, uint64_t stamp,
                                    std::vector<Parcel> parcels, Deadline deadline);

} // namespace dri
