// Counts the bytes that the program holds from operator new, and their maximum.
#pragma once

#include <cstdint>

namespace plan_bench {

int64_t live_bytes();
int64_t peak_bytes();
void forget_peak(); // sets the peak to the live bytes

} // namespace plan_bench
