// Where a process stands in the binomial tree of a group, and how groups of processes are told.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace dri {

struct TreePosition {
    int parent = -1;           // rank; -1 at the root
    std::vector<int> children; // ranks, ascending; below child k there are at most k levels
    int depth = 0, height = 0; // of the process, and of the whole tree; levels
};

// members: in ascending order. Fails with DRI_ERR_INTERNAL where the rank is none of them.
TreePosition find_tree_position(std::span<const int> members, int rank);

// "0, 3, 4", the first sixteen and how many more there are.
std::string list_ranks(std::span<const int> ranks);

} // namespace dri
