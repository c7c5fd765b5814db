// Compares the processor's counter with the system's clock, and draws the line again every few milliseconds. An
// error of the line then never grows, also if the system's clock is slewed or the machine moves to another
// processor.
#include "base/fast_clock.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dri::inline base {

#if defined(__x86_64__)

namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr int64_t shortest_ns = 10'000'000;   // between two readings that make a line: each is wrong by some 50 ns
constexpr int64_t valid_ns = 50'000'000;      // of a line
constexpr int64_t longest_ns = 1'000'000'000; // a line's first reading is no older, so that it follows the system
constexpr int64_t trusted_ns = 20'000;        // further apart one of the clocks has jumped

// Both clocks at one moment.
struct Reading {
    uint64_t ticks = 0;
    int64_t ns = 0;
};

// Whether the counter runs evenly, and the system measures time with it.
bool is_counter_even() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1U << 8)))
        return false;
    std::string source;
    std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
    return source == "tsc" || source == "kvm-clock";
}

// The thread may be stopped between the two. The closest of a few pairs counts.
Reading read_both() {
    Reading best;
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < 3; ++i) {
        const uint64_t before = __builtin_ia32_rdtsc();
        const int64_t ns = Nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
        const uint64_t apart = __builtin_ia32_rdtsc() - before;
        if (apart >= closest)
            continue;
        closest = apart;
        best = {before + apart / 2, ns};
    }
    return best;
}

thread_local Reading first_reading; // of the line; ns 0: there is none yet

TickLine line_through(const Reading &from, const Reading &to) {
    const auto ns = static_cast<uint64_t>(to.ns - from.ns);
    const uint64_t scale = static_cast<uint64_t>((static_cast<WideProduct>(ns) << 32) / (to.ticks - from.ticks));
    const auto valid =
        static_cast<uint64_t>((static_cast<WideProduct>(valid_ns) << 32) / std::max(scale, uint64_t{1}));
    return {to.ticks, to.ns, scale, valid};
}

} // namespace

FastClock::time_point FastClock::renew() noexcept {
    static const bool is_even = is_counter_even();
    if (!is_even)
        return std::chrono::steady_clock::now();
    Reading &first = first_reading;
    const auto plain = std::chrono::steady_clock::now();
    if (first.ns != 0 && !line_.valid && plain.time_since_epoch() < Nanoseconds(first.ns + shortest_ns))
        return plain;
    const Reading read = read_both();
    const TickLine old = line_;
    if (first.ns == 0 || read.ticks <= first.ticks) {
        first = read;
        line_ = {};
    } else if (read.ns - first.ns >= shortest_ns) {
        line_ = line_through(first, read);
        // A line that was a little ahead is gone on with, so that no time comes twice.
        const int64_t ahead = old.valid ? old.at(std::min(read.ticks, old.ticks + old.valid)) - read.ns : 0;
        if (ahead > 0 && ahead < trusted_ns)
            line_.ns += ahead;
        if (read.ns - first.ns >= longest_ns)
            first = read;
    }
    return time_point(duration(line_.valid ? line_.ns : read.ns));
}

#else

FastClock::time_point FastClock::renew() noexcept { return std::chrono::steady_clock::now(); }

#endif

} // namespace dri::inline base
