// A small transfer that must work. Tests run it after a failed call to show that the library is still usable.
#pragma once

namespace dri_test {

// Corner-turns a small matrix and checks every element. Collective over the world.
void expect_good_turn();

} // namespace dri_test
