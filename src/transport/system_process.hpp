// A process of the system, and whether it still runs.
#pragma once

#include <cstdint>

namespace dri::transport {

// The system uses the number of a process again after its end. The time of the start distinguishes the two.
struct SystemProcess {
    int64_t number = 0; // 0: unknown
    int64_t start = 0;  // in ticks since the start of the system

    bool operator==(const SystemProcess &) const = default;
};

SystemProcess this_process(); // unknown if the system does not report it
// Whether a process has ended. A process that its parent has not collected yet has ended, too. False if that is
// unknown. Reads a file of the system (some 10 us). Allocates nothing.
bool has_ended(const SystemProcess &process);
// The same of a process whose start is not known: false if another one has its number by now. 0: unknown.
bool is_gone(int64_t number);

} // namespace dri::transport
