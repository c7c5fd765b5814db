// Sends contents from any member of a group to any other. No process knows in advance who will send to it.
#pragma once

#include "transport/step.hpp"

#include <map>

namespace dri::transport {

// A content with a rank: its receiver when it is sent, its sender when it is received.
struct Parcel {
    int rank = 0;
    Bytes bytes;
};

// Collects everything for one process into one parcel.
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

// Returns the parcels sent to this process, in rising order of senders; those of one sender keep their order.
// Collective over step.members, which are in rising order here.
//
// stamp: the same on all members, and one more than in their last exchange. It marks the messages, so that
// leftovers of a failed exchange are recognised and dropped. The first exchange of a group must follow a step that
// all members take. Otherwise a member could still be in an exchange of another group.
//
// Cost: two messages for each parcel, one of them empty, and two for each neighbour in a binomial tree; O(log P)
// steps. What a process receives does not grow with the data of other pairs. Fails with DRI_ERR_TIMEOUT;
// the message names processes that were waited for. Other members may have succeeded then.
std::vector<Parcel> sparse_exchange(Transport &transport, const Step &step, uint64_t stamp,
                                    std::vector<Parcel> parcels);

} // namespace dri::transport
