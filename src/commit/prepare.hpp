// From a matched transfer to one that runs: plans, kernels, buffers and messages of this process.
#pragma once

#include "commit/match.hpp"

#include <map>

namespace dri {

// The plans of one commit and process: transfers of equal sides in equal layouts, with equal scales and options,
// share theirs, whatever their names.
class SharedPlans {
public:
    explicit SharedPlans(int rank) : rank_(rank) {}

    std::shared_ptr<const Plan> get(const MatchedTransfer &transfer, size_t sink);

private:
    int rank_;
    std::map<Digest, std::shared_ptr<const Plan>> plans_;
};

struct PreparedTransfer {
    std::shared_ptr<Transfer> transfer;
    struct Member {
        std::shared_ptr<Endpoint> end;
        size_t flow = 0;
    };
    std::vector<Member> members; // this process's ends of the name
};

// mine: all ends that this process has declared. Fails with DRI_ERR_ARG where buffers share memory, and where
// memory is short.
PreparedTransfer prepare_transfer(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                                  SharedPlans &plans, Isa isa, Transport &transport);

} // namespace dri
