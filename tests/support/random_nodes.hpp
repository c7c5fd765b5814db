// Random node maps, and the ways (transport paths) of a case as words of a case line.
#pragma once

#include "dice.hpp"
#include "random_case.hpp"

#include <string>
#include <vector>

namespace dri::test {

// A node for each rank, named by the lowest rank on it. There are at most three nodes.
std::vector<int> make_nodes(Dice &dice, int world);

// " no-self direct nodes=0,0,2": only the words that differ from the default.
std::string ways_text(const TransferCase &c);

} // namespace dri::test
