// Whether parts in place stay as they lie or are put in order. Reported limits must be enough, and less must not.
#include "commit/in_place_way.hpp"

#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace dri::test {
namespace {

// The minimum workspace of an endpoint in either way, and its limit.
struct Need {
    int64_t lies = 0, arranged = 0, limit = 0;
};
using Needs = std::vector<Need>;

commit::InPlaceCost cost_of(const Needs &endpoints, int64_t Need::*way) {
    commit::InPlaceCost cost;
    for (const Need &endpoint : endpoints)
        commit::add(
            cost, {.min_workspace = endpoint.*way, .lack = std::max<int64_t>(endpoint.*way - endpoint.limit, 0)});
    return cost;
}

int64_t Need::*to_go(const Needs &endpoints) {
    const commit::InPlaceWay way =
        commit::way_to_go(cost_of(endpoints, &Need::lies), cost_of(endpoints, &Need::arranged));
    return way == commit::InPlaceWay::arranged ? &Need::arranged : &Need::lies;
}

bool fits(const Needs &endpoints) {
    const auto way = to_go(endpoints);
    return std::all_of(endpoints.begin(), endpoints.end(),
                       [&](const Need &endpoint) { return endpoint.*way <= endpoint.limit; });
}

// Computed without the functions under test.
bool some_way_fits(const Needs &endpoints) {
    const auto fit = [&](int64_t Need::*way) {
        return std::all_of(endpoints.begin(), endpoints.end(),
                           [&](const Need &endpoint) { return endpoint.*way <= endpoint.limit; });
    };
    return fit(&Need::lies) || fit(&Need::arranged);
}

Needs random_needs(Dice &dice) {
    Needs endpoints(static_cast<size_t>(dice.range(1, 8)));
    const int64_t max = dice.one_of<int64_t>({2, 5, 100});
    for (Need &endpoint : endpoints)
        endpoint = {dice.range(0, max), dice.range(0, max), dice.range(0, max)};
    return endpoints;
}

TEST(InPlaceWays, fit_if_the_limits_of_all_allow_a_way) {
    Dice dice(61);
    int64_t fit = 0;
    for (int i = 0; i < 20000; ++i) {
        const Needs endpoints = random_needs(dice);
        ASSERT_EQ(fits(endpoints), some_way_fits(endpoints));
        fit += some_way_fits(endpoints);
    }
    EXPECT_GT(fit, 1000);
    EXPECT_LT(fit, 19000);
}

TEST(InPlaceWays, minimum_limits_are_enough_together_and_a_byte_less_is_not) {
    Dice dice(62);
    int64_t differ = 0;
    for (int i = 0; i < 20000; ++i) {
        Needs endpoints = random_needs(dice);
        if (!some_way_fits(endpoints))
            continue;
        const bool is_arranged =
            commit::way_of_min_workspace(cost_of(endpoints, &Need::lies), cost_of(endpoints, &Need::arranged)) ==
            commit::InPlaceWay::arranged;
        for (Need &endpoint : endpoints) {
            const int64_t min = is_arranged ? endpoint.arranged : endpoint.lies;
            ASSERT_LE(min, endpoint.limit) << "limits only become smaller";
            differ += min > std::min(endpoint.lies, endpoint.arranged);
            endpoint.limit = min;
        }
        ASSERT_TRUE(fits(endpoints));
        for (Need &endpoint : endpoints) {
            --endpoint.limit;
            ASSERT_FALSE(fits(endpoints));
            ++endpoint.limit;
        }
        for (Need &endpoint : endpoints)
            --endpoint.limit;
        ASSERT_FALSE(fits(endpoints));
    }
    EXPECT_GT(differ, 1000) << "the smallest limit of one endpoint alone may not suit all";
}

// The error names an endpoint whose limit is too small, and a sufficient limit. The test raises that limit. Any
// endpoint with too small a limit may be named.
TEST(InPlaceWays, errors_name_limits_that_are_just_enough) {
    Dice dice(63);
    int64_t raised = 0;
    for (int i = 0; i < 20000; ++i) {
        Needs endpoints = random_needs(dice);
        std::optional<size_t> last;
        for (size_t steps = 0; !fits(endpoints); ++steps) {
            ASSERT_LT(steps, endpoints.size()) << "each endpoint's limit is raised once";
            const auto way = to_go(endpoints);
            last = static_cast<size_t>(dice.range(0, std::ssize(endpoints) - 1));
            while (endpoints[*last].*way <= endpoints[*last].limit)
                *last = (*last + 1) % endpoints.size();
            endpoints[*last].limit = endpoints[*last].*way;
        }
        if (!last)
            continue;
        --endpoints[*last].limit;
        ASSERT_FALSE(fits(endpoints));
        ++raised;
    }
    EXPECT_GT(raised, 1000);
}

// The bound comes from the largest part, and the process that needs the most workspace decides.
TEST(InPlaceWays, are_chosen_by_the_process_that_needs_most_workspace) {
    const commit::InPlaceCost within{.mark = 100, .max_workspace = 100}, beyond{.mark = 100, .max_workspace = 101},
        far_beyond{.mark = 100, .max_workspace = 400};
    EXPECT_FALSE(commit::is_in_doubt(within));
    EXPECT_TRUE(commit::is_in_doubt(beyond));
    EXPECT_TRUE(commit::is_in_doubt({.mark = 100, .max_workspace = 50, .asked = true}));
    EXPECT_TRUE(commit::is_in_doubt({.mark = 100, .max_workspace = 50, .lack = 1}));
    EXPECT_EQ(commit::way_to_go(within, {.mark = 100, .max_workspace = 10}), commit::InPlaceWay::as_it_lies);
    EXPECT_EQ(commit::way_to_go(beyond, within), commit::InPlaceWay::arranged);
    EXPECT_EQ(commit::way_to_go(beyond, beyond), commit::InPlaceWay::as_it_lies);
    EXPECT_EQ(commit::way_to_go(far_beyond, {.mark = 100, .max_workspace = 299}), commit::InPlaceWay::arranged);
    EXPECT_EQ(commit::way_to_go(far_beyond, {.mark = 100, .max_workspace = 300}), commit::InPlaceWay::as_it_lies);
    EXPECT_EQ(commit::way_to_go(beyond, {.mark = 100, .max_workspace = 10, .lack = 1}),
              commit::InPlaceWay::as_it_lies);
    commit::InPlaceCost sum{.mark = 7, .max_workspace = 5, .min_workspace = INT64_MAX - 1, .lack = 3};
    commit::add(sum, {.mark = 6, .max_workspace = 9, .min_workspace = 8, .lack = INT64_MAX, .asked = true});
    EXPECT_EQ(sum, (commit::InPlaceCost{7, 9, INT64_MAX, INT64_MAX, true}));
}

} // namespace
} // namespace dri::test
