// The tags of the set-up messages of sessions and commits. They are listed in one place so that no two kinds of
// steps use the same tag.
#pragma once

#include "transport/transport.hpp"

namespace dri::commit {

enum SetUpTag : int {
    tag_distribution = 1,
    tag_commit = 2,
    tag_settings = 3,
    tag_decision = 4,
    tag_exchange = 5, // also uses 6: sparse exchanges use two tags alternately, by their stamps
    tag_close = 7,
    tag_memory = 8,
};
static_assert(tag_memory < transport::Transport::set_up_tags);

} // namespace dri::commit
