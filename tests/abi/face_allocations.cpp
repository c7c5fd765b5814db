// The counter of allocations for tests of the C++ interface, whose names its own header would hide.
#include "support/allocation_counter.hpp"

#include <functional>

namespace face {

long allocations_of(const std::function<void()> &call);

long allocations_of(const std::function<void()> &call) { return dri::test::allocations_of(call); }

} // namespace face
