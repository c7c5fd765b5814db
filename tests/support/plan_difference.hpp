// Tells two plans apart.
#pragma once

#include "plan/plan.hpp"

#include <string>

namespace dri::test {

// What differs first in two plans, in all their members; empty if they are the same.
std::string find_difference(const plan::Plan &a, const plan::Plan &b);

} // namespace dri::test
