// A reading of the clock that a thread passes on from call to call: where one ends and the next one begins the
// clock is read once. A reading takes as long as a short call.
#pragma once

#include <chrono>
#include <utility>

namespace dri::inline base {

class LentTime {
public:
    using Clock = std::chrono::steady_clock;

    // While it exists, the call that this thread makes begins at that time.
    class Scope {
    public:
        explicit Scope(Clock::time_point now);
        ~Scope();
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;
    };

    // For the call: when it begins. A time that is lent counts once.
    Clock::time_point begin() { return std::exchange(is_lent_, false) ? at_ : Clock::now(); }
    // When it ends.
    Clock::time_point end() {
        at_ = Clock::now();
        is_returned_ = true;
        return at_;
    }
    // For its caller, after the scope: when the call has ended.
    Clock::time_point ended() { return std::exchange(is_returned_, false) ? at_ : Clock::now(); }

private:
    Clock::time_point at_;
    bool is_lent_ = false, is_returned_ = false;
};
inline thread_local constinit LentTime lent_time;

inline LentTime::Scope::Scope(Clock::time_point now) {
    lent_time.at_ = now;
    lent_time.is_lent_ = true;
    lent_time.is_returned_ = false;
}
inline LentTime::Scope::~Scope() { lent_time.is_lent_ = false; }

} // namespace dri::inline base
