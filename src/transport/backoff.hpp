// How a process waits for another one. It polls without a break for a while, then yields its core each time, then
// sleeps for a short time (50 us) each time.
#pragma once

#include <chrono>

namespace dri::transport {

class Backoff {
public:
    // yield: never sleep. This is for waits that make progress only while somebody polls, such as waits for
    // messages.
    enum class Rest { sleep, yield };

    // crowded: there are more processes than cores. A process that spins then keeps another one from running, so
    // it looks once more and yields from then on.
    explicit Backoff(bool crowded, Rest rest = Rest::sleep) : looks_(crowded ? spins - 1 : 0), rest_(rest) {}
    // For a wait of the set-up, which may be long while others need the core: it never spins, and soon sleeps.
    static Backoff of_set_up() {
        Backoff wait(true);
        wait.looks_ = spins + yields - yields_of_set_up;
        return wait;
    }

    // Waits a little. Returns whether there is time for other work: after a sleep, after every 16th yield, and
    // after a yield that let somebody else run for long. Such work costs more than a look.
    bool pause() { return !spin() && rest(); }
    // The same in two halves. spin() returns whether this pause is only a spin; otherwise one of the others
    // follows. rest_until: the look before has let others use the core, until now. Then this does not do it again,
    // because what the look did not find may have come meanwhile.
    bool spin() { return ++looks_ <= spins; }
    bool rest();
    // rest_between: the same where the start of that look is known.
    bool rest_until(std::chrono::steady_clock::time_point now);
    bool rest_between(std::chrono::steady_clock::time_point before, std::chrono::steady_clock::time_point now);

    // Puts off the sleep, because there may soon be more to find. The next pause has time for other work.
    void look_again() { looks_ = spins + yields_between - 1; }

private:
    static constexpr int spins = 4000;        // about 10 us, the time of a frame that stays in cache
    static constexpr int yields = 4000;       // some milliseconds
    static constexpr int yields_between = 16; // divides `yields`
    static constexpr int yields_of_set_up = 256;

    using Time = std::chrono::steady_clock::time_point;
    bool sleep_if_long(); // returns whether this rest was a sleep
    bool has_time(Time before, Time now) const;

    int looks_;
    Rest rest_;
    Time last_{}; // end of the last rest of a wait whose looks let others run
};

} // namespace dri::transport
