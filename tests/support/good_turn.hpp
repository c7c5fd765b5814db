// A small transfer that must work: used to see that the library lives on after a failed call.
#pragma once

namespace dri_test {

// Collective over the world. Turns a small matrix from rows to columns and checks every element.
void expect_good_turn();

} // namespace dri_test
