// Random node maps, and the ways that bytes may go as words of a case line.
#pragma once

#include "dice.hpp"
#include "random_case.hpp"

#include <string>
#include <vector>

namespace dri::test {

// A node for each rank, named by the lowest rank on it; at most three.
std::vector<int> make_nodes(Dice &dice, int world);

// " no-self direct nodes=0,0,2", as far as they are not the default.
std::string ways_text(const TransferCase &c);
// Whether the word is one of these; then it is taken.
bool read_way(const std::string &word, TransferCase &c);

} // namespace dri::test
