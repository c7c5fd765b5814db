// Groups of loopback ranks for tests of collective steps, and the result of a step on each rank.
#pragma once

#include "transport/collective.hpp"

#include "support/sanitizer.hpp"
#include "unit/transport_threads.hpp"

#include <algorithm>
#include <barrier>
#include <numeric>

namespace dri::test {

inline std::vector<int> all_ranks(int size) {
    std::vector<int> ranks(static_cast<size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

// Small groups, and one whose tree has several levels. Under sanitizers, two of them meet all lines.
inline std::vector<int> group_sizes() {
    return sanitized ? std::vector<int>{3, 7} : std::vector<int>{2, 3, 4, 7, 33};
}

inline bool contains(const std::vector<int> &members, int rank) {
    return std::find(members.begin(), members.end(), rank) != members.end();
}

// The length differs between ranks, and is 0 for every fifth rank.
inline std::string words_of(int rank, int round) {
    return rank % 5 == 0
               ? ""
               : std::string(static_cast<size_t>(rank * 7 % 50 + 1), static_cast<char>('a' + (rank + round) % 26));
}

inline void expect_gathered(dri::transport::Transport &t, const std::vector<int> &members, int round) {
    const auto all =
        dri::transport::all_gather(t, step_over(members, soon()), as_bytes(words_of(t.rank(), round)));
    ASSERT_EQ(all.size(), members.size());
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(as_string(all[i]), words_of(members[i], round));
}

// The result of a step on each rank. Every rank of the world makes the step in its own way.
inline std::vector<dri::Error> outcomes(int size, const std::function<void(dri::transport::Transport &)> &step,
                                        const std::function<void(dri::transport::Transport &)> &afterwards) {
    std::vector<dri::Error> all(static_cast<size_t>(size), dri::Error(DRI_SUCCESS, ""));
    std::barrier all_are_through(size);
    on_ranks(size, [&](dri::transport::Transport &t) {
        try {
            step(t);
        } catch (const dri::Error &error) {
            all[static_cast<size_t>(t.rank())] = error;
        }
        all_are_through.arrive_and_wait();
        afterwards(t);
    });
    return all;
}

// The same. It also checks that the step, however it ended, does not disturb later steps with the same tag.
inline std::vector<dri::Error>
outcomes_before_peace(int size, const std::function<void(dri::transport::Transport &)> &step) {
    return outcomes(size, step, [&](dri::transport::Transport &t) {
        std::vector<int> backwards = all_ranks(size);
        std::reverse(backwards.begin(), backwards.end());
        for (const auto &members : {all_ranks(size), backwards}) {
            EXPECT_EQ(dri::transport::all_gather(t, step_over(members, soon()), {}).size(), members.size());
            EXPECT_EQ(dri::transport::agree(t, step_over(members, soon()), {}).code, DRI_SUCCESS);
        }
    });
}

} // namespace dri::test
