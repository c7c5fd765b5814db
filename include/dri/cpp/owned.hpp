// What a part owns along each dimension, as runs of consecutive indices.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/cpp/indexed.hpp>
#include <dri/dist.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// Consecutive elements along one dimension of a part: `size` of them from global index `global` at position
// `local`.
struct Run {
    std::int64_t global, local, size;
};

// The blocks of a part along one dimension as runs. Blocks that continue each other, in the array and in the part,
// are one run.
template <class Blocks> std::vector<Run> runs_of(const Blocks &blocks) {
    std::vector<Run> runs;
    for (const DRI_Block &block : blocks) {
        if (block.size == 0)
            continue;
        if (!runs.empty() && runs.back().global + runs.back().size == block.global &&
            runs.back().local + runs.back().size == block.local)
            runs.back().size += block.size;
        else
            runs.push_back({block.global, block.local, block.size});
    }
    return runs;
}

// The same of a list without overlap, whose entries are runs of indices: `size` of them, `count` times.
inline std::vector<Run> runs_of_list(std::span<const DRI_Run> list) {
    std::vector<Run> runs;
    std::int64_t local = 0;
    for (const DRI_Run &entry : list)
        for (std::int64_t i = 0; i < entry.count; ++i, local += entry.size) {
            const std::int64_t first = entry.first + i * entry.step;
            if (!runs.empty() && runs.back().global + runs.back().size == first)
                runs.back().size += entry.size;
            else
                runs.push_back({first, local, entry.size});
        }
    return runs;
}

// The indices that a part owns along one dimension, by their number.
class Owners {
public:
    Owners() = default;
    explicit Owners(std::vector<Run> runs) : runs_(std::move(runs)) {
        for (const Run &run : runs_) {
            starts_.push_back(size_);
            size_ += run.size;
        }
    }
    std::int64_t size() const { return size_; }
    std::int64_t operator[](std::int64_t i) const {
        const auto run = std::upper_bound(starts_.begin(), starts_.end(), i) - starts_.begin() - 1;
        return runs_[static_cast<std::size_t>(run)].global + i - starts_[static_cast<std::size_t>(run)];
    }

private:
    std::vector<Run> runs_;
    std::vector<std::int64_t> starts_; // number of the first index of each run
    std::int64_t size_ = 0;
};

// What a process owns along a dimension. own: the calling process, whose lists come in one call.
inline std::vector<Run> owned_runs(DRI_Dist dist, int rank, int dim, bool own) {
    if (own) {
        DRI_Part_dim rule{};
        check(DRI_dist_get_rule(dist, dim, &rule));
        if (rule.kind == DRI_RUNS && rule.left == 0 && rule.right == 0)
            return runs_of_list({rule.runs, static_cast<std::size_t>(rule.nruns)});
    }
    std::int64_t n = 0;
    check(DRI_dist_num_blocks(dist, rank, dim, &n));
    return runs_of(Indexed(n, [=](std::int64_t i) {
        DRI_Block block;
        check(DRI_dist_get_block(dist, rank, dim, i, &block));
        return block;
    }));
}

// The indices of a part, the last dimension fastest: a random-access range. along: what it owns.
template <std::size_t N> auto indices_of(const std::array<Owners, N> &along, bool any = true) {
    std::int64_t n = any ? 1 : 0;
    for (const Owners &owners : along)
        n *= owners.size();
    return Indexed(n, [along](std::int64_t i) {
        Index<N> index{};
        for (std::size_t d = N; d-- > 0; i /= along[d].size())
            index[d] = along[d][i % along[d].size()];
        return index;
    });
}

} // namespace detail
} // namespace v1
} // namespace dri
