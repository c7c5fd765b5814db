// Random maps and domains, each with an oracle that says the owner of an index. The oracle shares no code with the
// library.
#pragma once

#include "support/dice.hpp"
#include "support/domains.hpp"

#include <functional>
#include <memory>
#include <string>

namespace dri::test {

// A map with the rule that a user would write down for it.
struct RandomMap {
    Map map;
    std::vector<int> ranks;                       // of its group, in order
    std::function<int(const Indices &)> position; // of the owner
    std::vector<MapDim> rules;                    // of a map of the library, otherwise empty
    std::string text;                             // for messages
    std::shared_ptr<void> kept;                   // what a user's functions need
};

// The same on all processes for equal dice. kinds: "grid" for maps of blocks, "user" for a user's maps, or "any".
RandomMap make_random_map(Dice &dice, size_t ndims, const std::string &kinds);

// Ranges of at most `longest` members, of both signs.
Ranges random_ranges(Dice &dice, size_t ndims, int64_t longest);
// Ranges inside these: of some of their members, of either sign.
Ranges random_slice(Dice &dice, const Ranges &ranges);
// Ranges inside ranges with these numbers of members, which have at least as many.
Ranges random_slice_of(Dice &dice, const Ranges &ranges, const std::vector<int64_t> &sizes);

std::string text_of(const Ranges &ranges);

} // namespace dri::test
