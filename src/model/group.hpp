// Groups: ordered sets of processes, as values.
#pragma once

#include "base/wire.hpp"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dri::model {

class Group {
public:
    Group() = default;
    explicit Group(std::vector<int> ranks); // all ranks must differ

    int size() const { return static_cast<int>(ranks_.size()); }
    int rank(int position) const { return ranks_[static_cast<size_t>(position)]; }
    const std::vector<int> &ranks() const { return ranks_; }
    std::optional<int> position(int rank) const; // O(log)
    friend bool operator==(const Group &a, const Group &b) { return a.ranks_ == b.ranks_; }

private:
    std::vector<int> ranks_;
    std::vector<int> by_rank_; // positions in rising order of rank; empty if ranks rise by one
};

// Fails with DRI_ERR_ARG unless all ranks differ and lie in [0, world).
Group make_group(std::span<const int> ranks, int world);

// Processes may disagree about the order of a group and must be able to find that out. Therefore they communicate
// in rising order of ranks.
Group in_rising_order(const Group &group);

void put(Writer &out, const Group &group); // short for regular groups of any size
// Fails with DRI_ERR_INTERNAL if there are more than `most` processes, or none.
Group get_group(Reader &in, int most = std::numeric_limits<int>::max());
std::string to_text(const Group &group); // "0-3,8"

} // namespace dri::model
