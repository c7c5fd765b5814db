// The tags of the commit's and the session's set-up messages, all in one place, so that no two steps share one.
#pragma once

#include "transport/transport.hpp"

namespace dri {

enum SetUpTag : int {
    tag_distribution = 1,
    tag_commit = 2,
    tag_settings = 3,
    tag_decision = 4,
    tag_exchange = 5, // and 6: the sparse exchanges of a commit, in turn by their stamps
    tag_close = 7,
    tag_memory = 8,
};
static_assert(tag_memory < Transport::set_up_tags);

} // namespace dri
