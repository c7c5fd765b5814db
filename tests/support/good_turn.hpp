// A transfer that works: after a refused call the library must be as good as before.
#pragma once

#include "support/transfer_run.hpp"
#include "support/world.hpp"

namespace dri::test {

// Each process holds two rows or one column. Collective over the world.
inline void expect_good_turn() {
    const int size = world().size;
    expect_transfer(fmt::format("int32 [{},{}] block,* rm -> *,block rm direct", 2 * size, size));
}

} // namespace dri::test
