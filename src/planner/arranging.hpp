// In place: plans whose messages are cut from a part that is put in order first, and put together to one that is
// put in order afterwards.
#pragma once

#include "model/distribution.hpp"
#include "plan/plan.hpp"

namespace dri {

struct Arranged {
    std::vector<Piece> before, after;
};

// Whether each element goes to one place, as far as cuts and boxes tell. Where a sink has elements that nothing
// goes to, which keep what they have, its part cannot be put in order.
bool gives_each_once(const Distribution &source, const Distribution &sink);

// The plan's sends and receives, in rising order of rounds, are copies from buffer to buffer: they become packs
// and unpacks. Where the shapes allow, the part's pieces get places in the order of rounds, so that each message
// is one stretch of the buffer at either end, and as much of the buffer is free at any time as has left it. Pieces
// that have no runs in rising order, such as those with tables, and elements that go to several places, are packed
// and unpacked where they lie; others do not notice. Both ends of a message see the same bytes in the same order
// either way.
Arranged arrange(Plan &plan, bool each_once);

} // namespace dri
