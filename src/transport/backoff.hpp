// How a process waits for another one. It polls without a break for a while, then yields its core each time, then
// sleeps for a short time (50 us) each time.
#pragma once

namespace dri::transport {

class Backoff {
public:
    // yield: never sleep. This is for waits that make progress only while somebody polls, such as waits for
    // messages.
    enum class Rest { sleep, yield };

    // crowded: there are more processes than cores. A process that spins then keeps another one from running, so
    // it yields from the start.
    explicit Backoff(bool crowded, Rest rest = Rest::sleep) : looks_(crowded ? spins : 0), rest_(rest) {}
    // Waits a little. Returns false if it only spun, and true if it gave up the core: then there was time for
    // other work.
    bool pause() {
        if (++looks_ <= spins)
            return false;
        rest();
        return true;
    }

    // Puts off the sleep, because there may soon be more to find.
    void look_again() { looks_ = spins; }

private:
    static constexpr int spins = 4000;  // about 10 us, the time of a frame that stays in cache
    static constexpr int yields = 4000; // some milliseconds
    void rest();

    int looks_;
    Rest rest_;
};

} // namespace dri::transport
