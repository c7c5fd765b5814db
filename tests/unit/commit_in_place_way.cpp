// Which way the processes of a transfer in place go: limits that are told to do do, and less does not.
#include "commit/in_place_way.hpp"

#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace dri::test {
namespace {

// What each end takes at least in either way, and its limit.
struct Need {
    int64_t lies = 0, arranged = 0, limit = 0;
};
using Needs = std::vector<Need>;

WayTakes takes_of(const Needs &ends, int64_t Need::*way) {
    WayTakes takes;
    for (const Need &end : ends)
        add(takes, {.least = end.*way, .lack = std::max<int64_t>(end.*way - end.limit, 0)});
    return takes;
}

int64_t Need::*to_go(const Needs &ends) {
    const InPlaceWay way = way_to_go(takes_of(ends, &Need::lies), takes_of(ends, &Need::arranged));
    return way == InPlaceWay::arranged ? &Need::arranged : &Need::lies;
}

bool fits(const Needs &ends) {
    const auto way = to_go(ends);
    return std::all_of(ends.begin(), ends.end(), [&](const Need &end) { return end.*way <= end.limit; });
}

// Without the functions under test.
bool some_way_fits(const Needs &ends) {
    const auto fit = [&](int64_t Need::*way) {
        return std::all_of(ends.begin(), ends.end(), [&](const Need &end) { return end.*way <= end.limit; });
    };
    return fit(&Need::lies) || fit(&Need::arranged);
}

Needs random_needs(Dice &dice) {
    Needs ends(static_cast<size_t>(dice.range(1, 8)));
    const int64_t most = dice.one_of<int64_t>({2, 5, 100});
    for (Need &end : ends)
        end = {dice.range(0, most), dice.range(0, most), dice.range(0, most)};
    return ends;
}

TEST(InPlaceWays, go_where_the_limits_of_all_allow) {
    Dice dice(61);
    int64_t fit = 0;
    for (int i = 0; i < 20000; ++i) {
        const Needs ends = random_needs(dice);
        ASSERT_EQ(fits(ends), some_way_fits(ends));
        fit += some_way_fits(ends);
    }
    EXPECT_GT(fit, 1000);
    EXPECT_LT(fit, 19000);
}

TEST(InPlaceWays, told_as_least_do_together_and_a_byte_less_on_any_does_not) {
    Dice dice(62);
    int64_t differ = 0;
    for (int i = 0; i < 20000; ++i) {
        Needs ends = random_needs(dice);
        if (!some_way_fits(ends))
            continue;
        const bool is_arranged =
            way_of_least(takes_of(ends, &Need::lies), takes_of(ends, &Need::arranged)) == InPlaceWay::arranged;
        for (Need &end : ends) {
            const int64_t least = is_arranged ? end.arranged : end.lies;
            ASSERT_LE(least, end.limit) << "limits are only made less";
            differ += least > std::min(end.lies, end.arranged);
            end.limit = least;
        }
        ASSERT_TRUE(fits(ends));
        for (Need &end : ends) {
            --end.limit;
            ASSERT_FALSE(fits(ends));
            ++end.limit;
        }
        for (Need &end : ends)
            --end.limit;
        ASSERT_FALSE(fits(ends));
    }
    EXPECT_GT(differ, 1000) << "what is least for one end alone may not be what does for all";
}

// An end that lacks is told what would do, whichever of them it is, and raises its limit to that.
TEST(InPlaceWays, errors_lead_to_limits_that_do_and_no_further) {
    Dice dice(63);
    int64_t raised = 0;
    for (int i = 0; i < 20000; ++i) {
        Needs ends = random_needs(dice);
        std::optional<size_t> last;
        for (size_t steps = 0; !fits(ends); ++steps) {
            ASSERT_LT(steps, ends.size()) << "each end is raised once";
            const auto way = to_go(ends);
            last = static_cast<size_t>(dice.range(0, std::ssize(ends) - 1));
            while (ends[*last].*way <= ends[*last].limit)
                *last = (*last + 1) % ends.size();
            ends[*last].limit = ends[*last].*way;
        }
        if (!last)
            continue;
        --ends[*last].limit;
        ASSERT_FALSE(fits(ends));
        ++raised;
    }
    EXPECT_GT(raised, 1000);
}

// The mark is of the largest part, and what counts is the process that takes most.
TEST(InPlaceWays, are_chosen_by_the_most_that_a_process_takes) {
    const WayTakes within{.mark = 100, .most = 100}, beyond{.mark = 100, .most = 101},
        far_beyond{.mark = 100, .most = 400};
    EXPECT_FALSE(is_in_doubt(within));
    EXPECT_TRUE(is_in_doubt(beyond));
    EXPECT_TRUE(is_in_doubt({.mark = 100, .most = 50, .asked = true}));
    EXPECT_TRUE(is_in_doubt({.mark = 100, .most = 50, .lack = 1}));
    EXPECT_EQ(way_to_go(within, {.mark = 100, .most = 10}), InPlaceWay::as_it_lies);
    EXPECT_EQ(way_to_go(beyond, within), InPlaceWay::arranged);
    EXPECT_EQ(way_to_go(beyond, beyond), InPlaceWay::as_it_lies);
    EXPECT_EQ(way_to_go(far_beyond, {.mark = 100, .most = 299}), InPlaceWay::arranged);
    EXPECT_EQ(way_to_go(far_beyond, {.mark = 100, .most = 300}), InPlaceWay::as_it_lies);
    EXPECT_EQ(way_to_go(beyond, {.mark = 100, .most = 10, .lack = 1}), InPlaceWay::as_it_lies);
    WayTakes sum{.mark = 7, .most = 5, .least = INT64_MAX - 1, .lack = 3};
    add(sum, {.mark = 6, .most = 9, .least = 8, .lack = INT64_MAX, .asked = true});
    EXPECT_EQ(sum, (WayTakes{7, 9, INT64_MAX, INT64_MAX, true}));
}

} // namespace
} // namespace dri::test
