#include "exchange.hpp"

#include "program.hpp"

#include <algorithm>

namespace pipeline_bench {

Members::Members(std::vector<int> ranks) : ranks_(std::move(ranks)) {
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    const int rank = common::process_rank();
    const bool member = std::binary_search(ranks_.begin(), ranks_.end(), rank);
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &comm_);
}

Members::~Members() {
    if (held())
        MPI_Comm_free(&comm_);
}

int Members::index_of(int rank) const {
    return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
}

Exchange::Exchange(const Members &members, const Count &sent, const Count &received) : comm_(members.comm()) {
    if (!members.held())
        return;
    sent_ = side(members.count(), sent);
    received_ = side(members.count(), received);
    outgoing_.resize(sent_.samples);
    incoming_.resize(received_.samples);
}

Exchange::Side Exchange::side(int members, const Count &count) {
    Side side;
    std::int64_t sum = 0;
    for (int member = 0; member < members; ++member) {
        const std::int64_t samples = count(member);
        side.begins.push_back(static_cast<int>(2 * sum));
        side.counts.push_back(static_cast<int>(2 * samples));
        sum += samples;
    }
    side.samples = static_cast<std::size_t>(sum);
    return side;
}

void Exchange::run() {
    MPI_Alltoallv(outgoing_.data(), sent_.counts.data(), sent_.begins.data(), MPI_INT16_T, incoming_.data(),
                  received_.counts.data(), received_.begins.data(), MPI_INT16_T, comm_);
}

} // namespace pipeline_bench
