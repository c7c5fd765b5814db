// The time of std::chrono::steady_clock for what is timed many times in a microsecond. The system's clock takes 25
// to 40 ns on processors that count time themselves, and reading their counter a third of that.
#pragma once

#include <chrono>
#include <cstdint>

namespace dri::inline base {

__extension__ typedef unsigned __int128 WideProduct;

// A line through two readings of both clocks, which holds for some ticks of the counter.
struct TickLine {
    uint64_t ticks = 0; // where it begins
    int64_t ns = 0;     // the time there
    uint64_t scale = 0; // nanoseconds for a tick, times 2^32
    uint64_t valid = 0; // ticks from its beginning; 0: there is no line

    int64_t at(uint64_t now) const {
        return ns + static_cast<int64_t>(static_cast<WideProduct>(now - ticks) * scale >> 32);
    }
};

// A clock in the sense of the standard. Its times are those of steady_clock within a microsecond or so, and those
// of one thread never go back. Where the system itself does not trust the counter it is steady_clock.
class FastClock {
public:
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
#if defined(__x86_64__)
        const uint64_t ticks = __builtin_ia32_rdtsc();
        if (ticks - line_.ticks < line_.valid) [[likely]]
            return time_point(duration(line_.at(ticks)));
#endif
        return renew();
    }

private:
    static time_point renew() noexcept;

    static inline constinit thread_local TickLine line_{}; // of each thread, so that nothing is shared
};

} // namespace dri::inline base
