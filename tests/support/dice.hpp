// Random numbers that are the same on every platform.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace dri::test {

class Dice {
public:
    explicit Dice(uint64_t seed) : engine_(seed) {}
    // A number from lo to hi, both included. Standard distributions differ between libraries, this one does not.
    int64_t range(int64_t lo, int64_t hi) {
        return lo + static_cast<int64_t>(engine_() % static_cast<uint64_t>(hi - lo + 1));
    }
    bool chance(int64_t percent) { return range(1, 100) <= percent; }
    template <class T> T one_of(std::initializer_list<T> values) {
        return values.begin()[range(0, static_cast<int64_t>(values.size()) - 1)];
    }
    template <class T> const T &pick(const std::vector<T> &values) {
        return values[static_cast<size_t>(range(0, static_cast<int64_t>(values.size()) - 1))];
    }
    template <class T> void shuffle(std::vector<T> &values) {
        for (size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[static_cast<size_t>(range(0, static_cast<int64_t>(i) - 1))]);
    }

private:
    std::mt19937_64 engine_;
};

// One to all of the processes, in any order.
inline std::vector<int> some_ranks(Dice &dice, int processes) {
    std::vector<int> ranks(static_cast<size_t>(processes));
    std::iota(ranks.begin(), ranks.end(), 0);
    dice.shuffle(ranks);
    ranks.resize(static_cast<size_t>(dice.range(1, processes)));
    return ranks;
}

} // namespace dri::test
