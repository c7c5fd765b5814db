// The position of a process in the binomial tree of a group, and lists of ranks in messages.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace dri::transport {

struct TreePosition {
    int parent = -1;           // rank of the parent; -1 at the root
    std::vector<int> children; // ranks of the children, ascending; below child k there are at most k levels
    int depth = 0, height = 0; // levels above this process; levels of the whole tree below its root
};

// members: ranks in ascending order. Fails with DRI_ERR_INTERNAL if `rank` is not one of them.
TreePosition find_tree_position(std::span<const int> members, int rank);

// A list such as "0, 3, 4". For more than sixteen ranks: the first sixteen and the number of the others.
std::string list_ranks(std::span<const int> ranks);

} // namespace dri::transport
