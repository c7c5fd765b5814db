// What the calling thread has reported to the user, for calls that are made of other calls.
#pragma once

#include <cstdint>

namespace dri::inline base {

struct ThreadFailures {
    int64_t count = 0; // failures reported so far
    int quiet = 0;     // above 0: the error handler is not called, because a call around this one will report
};
inline thread_local ThreadFailures thread_failures;

// While it exists, failures of this thread are recorded, but the user's error handler is not called.
class QuietFailures {
public:
    QuietFailures() { ++thread_failures.quiet; }
    ~QuietFailures() { --thread_failures.quiet; }
    QuietFailures(const QuietFailures &) = delete;
    QuietFailures &operator=(const QuietFailures &) = delete;
};

} // namespace dri::inline base
