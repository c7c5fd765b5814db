// Which transfers of a commit share a plan.
#include "commit/plan_stage.hpp"

#include "support/random_case.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

commit::MatchedTransfer transfer_of(const std::string &line) {
    const TransferCase c = from_line(line);
    return {"a",
            make_side(c, c.source),
            {make_side(c, c.sink)},
            {1},
            {false},
            {1},
            {0},
            c.options(),
            std::make_shared<planner::NodeMap>()};
}

} // namespace

TEST(SharedPlans, are_those_of_equal_transfers_alone) {
    commit::SharedPlans plans(0);
    const commit::MatchedTransfer first = transfer_of("4B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1");
    const auto plan = plans.get(first, 0);
    EXPECT_EQ(plan::send_bytes(*plan) + plan::self_bytes(*plan), 24);
    commit::MatchedTransfer again = transfer_of("4B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1");
    again.name = "b";
    again.tags = {2};
    EXPECT_EQ(plans.get(again, 0), plan);
    std::vector<std::shared_ptr<const plan::Plan>> seen{plan};
    const auto expect_new = [&](const commit::MatchedTransfer &other, const char *what) {
        const auto got = plans.get(other, 0);
        EXPECT_EQ(std::count(seen.begin(), seen.end(), got), 0) << what;
        EXPECT_EQ(plans.get(other, 0), got) << what;
        seen.push_back(got);
    };
    for (const char *line : {"4B [12] block(2,last) rm over 0-1 -> cyclic(2,2) rm over 0-1",
                             "4B [12] block(2) rm over 0-1 -> cyclic(2,3) rm over 0-1",
                             "4B [12] cyclic(2,2) rm over 0-1 -> block(2) rm over 0-1",
                             "8B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1",
                             "4B [12] block(2) cm over 0-1 -> cyclic(2,2) rm over 0-1",
                             "4B [12] block(2) rm over 0-1 -> cyclic(2,2) cm over 0-1",
                             "4B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1 limit=4",
                             "4B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1 direct",
                             "4B [12] block(2) rm over 0-1 -> cyclic(2,2) rm over 0-1 no-self"})
        expect_new(transfer_of(line), line);
    commit::MatchedTransfer scaled = first;
    scaled.sinks[0].scale = 2;
    expect_new(scaled, "another scale");
    commit::MatchedTransfer gathered = first;
    gathered.options.gathering.plain_copies = 1;
    expect_new(gathered, "fewer plain copies");
    gathered.options.gathering.even_tables = 1;
    expect_new(gathered, "fewer tables");
}

} // namespace dri::test
