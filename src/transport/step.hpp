// What identifies a step of a collective call, for the processes that take it and in errors.
#pragma once

#include "transport/transport.hpp"

#include <string>
#include <string_view>

namespace dri::transport {

struct Step {
    std::string_view call;        // the call of the program that takes the step, such as "DRI_commit"
    std::string_view purpose;     // what the step is for, such as "match names"
    std::span<const int> members; // ranks of the world in any order, the caller among them
    Deadline deadline;
};

// Such as "DRI_commit over the group of 3 processes: 0, 1, 2".
std::string describe(const Step &step);
// When a process of another node is asked where it is, so that its answer arrives before the deadline.
Deadline time_to_ask(Deadline until);
// The text of a timeout: the call, the setting of the deadline, the step, and the ranks that were waited for.
std::string describe_timeout(const Step &step, std::span<const int> missing);

// The tags of set-up messages. They are listed in one place so that no two kinds of messages use the same tag. All
// tree steps have one tag. Therefore processes that make different calls meet, and find out that they do.
enum SetUpTag : int {
    tag_tree_step = 1,
    tag_sparse_exchange = 2, // also uses 3
    tag_memory_probe = 4,
};
static_assert(tag_memory_probe < Transport::set_up_tags);

} // namespace dri::transport
