// How much memory the program has from operator new, and the most it has had.
#pragma once

#include <cstdint>

namespace plan_bench {

int64_t live_bytes();
int64_t peak_bytes();
void forget_peak(); // the peak begins again at what is live

} // namespace plan_bench
