// How a process waits for another one: it looks again at once for a while, then lets others run, then sleeps a
// little each time.
#pragma once

namespace dri {

class Backoff {
public:
    // What is waited for moves on only while somebody looks, as messages do: then there is no sleep.
    enum class Rest { sleep, yield };

    // crowded: there are more processes than cores, so whoever waits keeps another from running.
    explicit Backoff(bool crowded, Rest rest = Rest::sleep) : looks_(crowded ? spins : 0), rest_(rest) {}
    // Whether there was time for something else.
    bool pause() {
        if (++looks_ <= spins)
            return false;
        rest();
        return true;
    }

    // There may be more to find soon: no sleep yet.
    void look_again() { looks_ = spins; }

private:
    static constexpr int spins = 4000;  // some 10 us, the time of a frame that stays in cache
    static constexpr int yields = 4000; // some ms
    void rest();

    int looks_;
    Rest rest_;
};

} // namespace dri
