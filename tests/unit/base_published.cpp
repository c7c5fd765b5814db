// Numbers that one thread writes and others read.
#include "base/published.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace dri::test {

static_assert(sizeof(Published<int64_t>) == sizeof(int64_t) && sizeof(Published<double>) == sizeof(double));
static_assert(std::is_move_constructible_v<Published<int64_t>> && std::is_move_assignable_v<Published<int64_t>>);
// Nobody writes such a number by an ordinary assignment: only publish() changes it.
static_assert(!std::is_assignable_v<Published<int64_t> &, int64_t>);
static_assert(!std::is_assignable_v<Published<double> &, double>);

TEST(Published, is_a_number_for_its_owner) {
    Published<int64_t> number, seven = 7;
    EXPECT_EQ(number, 0);
    EXPECT_EQ(seven + 1, 8);
    number.publish(seven + 1);
    EXPECT_EQ(number.own(), 8);
    EXPECT_EQ(number.read(), 8);
}

TEST(Published, moves_with_the_object_that_holds_it) {
    struct Holder {
        Published<int64_t> frames = 1;
        Published<double> seconds = 0.5;
    };
    std::vector<Holder> holders(1);
    holders[0].frames.publish(4);
    Holder moved = std::move(holders[0]);
    EXPECT_EQ(moved.frames, 4);
    EXPECT_EQ(moved.seconds, 0.5);
    holders.assign(3, Holder{});
    holders[2] = moved;
    EXPECT_EQ(holders[2].frames, 4);
    EXPECT_EQ(holders[1].frames, 1);
}

// The payload is an ordinary array that is written before the number. A reader that sees the number sees it whole.
TEST(Published, shows_what_was_written_before) {
    constexpr int64_t numbers = 200'000;
    std::vector<int64_t> payload(numbers);
    Published<int64_t> written = 0;
    std::thread writer([&] {
        for (int64_t i = 0; i < numbers; ++i) {
            payload[static_cast<size_t>(i)] = 3 * i + 1;
            written.publish(written + 1);
        }
    });
    int64_t seen = 0, wrong = 0;
    while (seen < numbers) {
        const int64_t now = written.read();
        wrong += now < seen;
        for (; seen < now; ++seen)
            wrong += payload[static_cast<size_t>(seen)] != 3 * seen + 1;
    }
    writer.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(written, numbers);
}

} // namespace dri::test
