// Processes that wait for one that has refused their call, because another of its threads was in another call.
#include "unit/transport_steps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace dri;
using namespace dri::test;

constexpr const char *reason = "it was in another call";

void refuse(transport::Transport &t, const std::vector<int> &members, std::string_view call) {
    transport::announce_refusal(t, step_over(members, soon(), call), reason, members);
}

std::string message_of(transport::Transport &t, const std::vector<int> &members, std::string_view call) {
    const Error error = error_of([&] { transport::all_gather(t, step_over(members, at_once(), call), {}); });
    EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT) << error.what();
    return error.what();
}

class RefusedCalls : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, RefusedCalls, testing::ValuesIn(group_sizes()));

TEST_P(RefusedCalls, AreTheReasonOfATimeoutOnAll) {
    const int size = GetParam();
    const auto members = all_ranks(size);
    std::barrier all_are_here(size);
    for (const int refusing : {0, 1, size / 2, size - 1})
        on_ranks(size, [&](transport::Transport &t) {
            if (t.rank() == refusing)
                refuse(t, members, "DRI_commit");
            else
                EXPECT_TRUE(message_of(t, members, "DRI_commit")
                                .ends_with(fmt::format("waited for process {}; {}", refusing, reason)));
            all_are_here.arrive_and_wait();
            // The reason is given once.
            if (t.rank() != refusing) {
                EXPECT_TRUE(message_of(t, members, "DRI_commit")
                                .ends_with(fmt::format("waited for process {}", refusing)));
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 0);
        });
}

TEST_P(RefusedCalls, MayBeRepeated) {
    const int size = GetParam();
    const auto members = all_ranks(size);
    on_ranks(size, [&](transport::Transport &t) {
        for (int round = 0; round < 20; ++round) {
            if (t.rank() == round % size)
                refuse(t, members, "DRI_test");
            expect_gathered(t, members, round);
            if (t.rank() == size - 1 - round % size)
                refuse(t, members, "DRI_commit");
        }
    });
}

// A refusal of another call, or of one that has been repeated since, is no reason.
TEST(RefusedCalls, AreNoReasonForOtherCalls) {
    const std::vector<int> pair{0, 1}, three{0, 1, 2};
    std::barrier all_are_here(3);
    on_ranks(3, [&](transport::Transport &t) {
        if (t.rank() == 1) {
            refuse(t, pair, "DRI_query");
            refuse(t, three, "DRI_commit");
            refuse(t, three, "DRI_test");
        }
        if (t.rank() == 0) {
            EXPECT_TRUE(message_of(t, pair, "DRI_commit").ends_with("waited for process 1"));
        }
        all_are_here.arrive_and_wait();
        expect_gathered(t, three, 0);
        all_are_here.arrive_and_wait();
        if (t.rank() != 1) {
            EXPECT_TRUE(message_of(t, three, "DRI_test").ends_with("waited for process 1"));
        }
    });
}

// Other threads may exchange messages with processes outside the call that excludes the refused one.
TEST(RefusedCalls, AreAnnouncedOnlyWhereItIsAllowed) {
    const std::vector<int> three{0, 1, 2}, allowed{0, 2};
    std::barrier all_are_here(3);
    on_ranks(3, [&](transport::Transport &t) {
        if (t.rank() == 0)
            transport::announce_refusal(t, step_over(three, soon(), "DRI_commit"), reason, allowed);
        all_are_here.arrive_and_wait();
        EXPECT_EQ(t.rank() == 2, t.rank() != 0 && t.try_receive(0, transport::tag_tree_step).has_value());
    });
}

} // namespace
