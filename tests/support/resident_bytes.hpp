// How much memory of this process is resident.
#pragma once

#include <cstdint>
#include <fstream>

namespace dri::test {

inline int64_t resident_bytes() {
    int64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * 4096;
}

} // namespace dri::test
