// Makes the library's objects from the plain descriptions of held.hpp.
#pragma once

#include "support/held.hpp"
#include "support/objects.hpp"

#include <vector>

namespace dri_test {

// For DRI_INDICES the rule has the list of part c.
Rule rule_of(const Cut &cut, int64_t c = 0);
Part make_cuts(const std::vector<Cut> &cuts);
Layout make_lay(const Lay &lay, size_t ndims);

} // namespace dri_test
