// Properties of plans that the data do not show: peers, their order, and numbers of messages.
#include "planner/planner.hpp"

#include "planner/messages.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

#include <set>

namespace dri::test {

namespace {

std::vector<plan::Plan> plans_of(const TransferCase &c, int more_ranks = 0) {
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    std::vector<plan::Plan> plans;
    for (int rank = 0; rank < c.world() + more_ranks; ++rank)
        plans.push_back(planner::make_plan(source, sink, c.options(), rank, c.node_map()));
    return plans;
}

bool is_empty(const plan::Plan &plan) {
    return plan.self.empty() && plan.sends.empty() && plan.receives.empty() && plan.pulls.empty() &&
           plan.pullers.empty();
}

} // namespace

TEST(Plan, of_a_process_in_neither_group_is_empty) {
    const auto plans = plans_of(from_line("8B [9,8] block(2),* rm over 1,3 -> *,block(2) 10 over 3,5"), 3);
    for (int rank : {0, 2, 4, 6, 7, 8})
        EXPECT_TRUE(is_empty(plans[static_cast<size_t>(rank)])) << rank;
    for (int rank : {1, 3, 5})
        EXPECT_FALSE(is_empty(plans[static_cast<size_t>(rank)])) << rank;
}

TEST(Plan, corner_turn_sends_one_message_to_every_other_process) {
    const int p = 7;
    const auto plans = plans_of(from_line("8B [97,64] block(7),* rm over 0-6 -> *,block(7) 10 over 0-6"));
    for (const plan::Plan &plan : plans) {
        EXPECT_EQ(plan.self.size(), 1u);
        ASSERT_EQ(plan.sends.size(), p - 1u);
        ASSERT_EQ(plan.receives.size(), p - 1u);
        for (int k = 1; k < p; ++k) {
            // In round k everyone sends to the k-th process after it, so no process receives from two at once.
            EXPECT_EQ(plan.sends[static_cast<size_t>(k - 1)].peer, (plan.rank + k) % p);
            EXPECT_EQ(plan.receives[static_cast<size_t>(k - 1)].peer, (plan.rank + p - k) % p);
            EXPECT_EQ(plan.sends[static_cast<size_t>(k - 1)].copies.size(), 1u);
        }
    }
}

TEST(Plan, the_same_distribution_moves_nothing_between_processes) {
    for (const char *line :
         {"8B [97,64] block(4),* rm over 0-3 -> block(4),* 10 over 0-3",
          "8B [96,60] cyclic(2,3),cyclic(2,5) rm over 0-3 -> cyclic(2,3),cyclic(2,5) rm over 0-3"})
        for (const plan::Plan &plan : plans_of(from_line(line))) {
            EXPECT_TRUE(plan.sends.empty()) << line;
            EXPECT_TRUE(plan.receives.empty()) << line;
            EXPECT_EQ(plan.self.size(), 1u) << line;
        }
}

TEST(Plan, equal_parts_in_equal_layouts_are_one_run) {
    const auto plans = plans_of(from_line("4B [10,12] block(2),* rm over 0-1 -> block(2),* rm over 1,0"));
    for (const plan::Plan &plan : plans) {
        ASSERT_EQ(plan.sends.size(), 1u);
        ASSERT_EQ(plan.sends[0].copies.size(), 1u);
        EXPECT_TRUE(plan.sends[0].copies[0].loops.empty());
        EXPECT_EQ(plan.sends[0].copies[0].run_bytes, 5 * 12 * 4);
    }
}

TEST(Plan, replicas_share_the_work_and_serve_themselves_first) {
    // Two replicas of the whole array, and three sinks that each need all of it.
    const auto plans = plans_of(from_line("8B [6] * rm over 0-1 -> * rm over 1-3"));
    EXPECT_EQ(plans[1].self.size(), 1u);
    std::set<int> servers;
    for (int rank : {0, 1})
        if (!plans[static_cast<size_t>(rank)].sends.empty())
            servers.insert(rank);
    EXPECT_EQ(servers, (std::set<int>{0, 1}));
    int64_t received = 0;
    for (const plan::Plan &plan : plans)
        received += plan::receive_bytes(plan) + plan::self_bytes(plan);
    EXPECT_EQ(received, 3 * 6 * 8);
}

TEST(Plan, without_the_self_way_everything_is_a_message) {
    const TransferCase c = from_line("8B [9,8] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2 no-self");
    for (const plan::Plan &plan : plans_of(c)) {
        EXPECT_TRUE(plan.self.empty());
        EXPECT_EQ(plan.sends.size(), 3u);
        EXPECT_EQ(plan.sends[0].peer, plan.rank);
    }
    EXPECT_EQ(find_fault(c), "");
}

// Ranks 0, 1 and 3 share a node, and 2 and 4 another one. Messages travel only between the two nodes.
TEST(Plan, processes_that_share_memory_pull) {
    const TransferCase c =
        from_line("8B [10,10] block(5),* rm over 0-4 -> *,block(5) 10 over 0-4 direct nodes=0,0,2,0,2");
    const auto peers = [](const auto &list) {
        std::vector<int> ranks;
        for (const auto &one : list)
            ranks.push_back(one.peer);
        return ranks;
    };
    const auto plans = plans_of(c);
    using Ranks = std::vector<int>;
    EXPECT_EQ(peers(plans[1].pulls), (Ranks{0, 3})) << "the peers before it first, as with messages";
    EXPECT_EQ(peers(plans[1].pullers), (Ranks{0, 3}));
    EXPECT_EQ(peers(plans[1].sends), (Ranks{2, 4}));
    EXPECT_EQ(peers(plans[1].receives), (Ranks{4, 2}));
    EXPECT_EQ(plans[1].self.size(), 1u);
    EXPECT_EQ(plan::pull_bytes(plans[1]), 2 * 2 * 2 * 8);
    EXPECT_EQ(plan::puller_bytes(plans[1]), 2 * 2 * 2 * 8);
    EXPECT_EQ(peers(plans[4].pulls), Ranks{2});
    EXPECT_EQ(find_fault(c), "");
}

TEST(Plan, without_the_direct_way_neighbours_send_messages) {
    for (const char *options : {"nodes=0,0", "direct nodes=0,1", "direct"})
        for (const plan::Plan &plan : plans_of(from_line(
                 fmt::format("8B [4,4] block(2),* rm over 0-1 -> *,block(2) rm over 0-1 {}", options)))) {
            EXPECT_TRUE(plan.pulls.empty() && plan.pullers.empty()) << options;
            EXPECT_EQ(plan.sends.size(), 1u) << options;
        }
}

// All are on one node, but rank 1 may not open the memory of the others.
TEST(Plan, processes_of_a_node_without_shared_memory_send_messages) {
    const planner::NodeMap nodes({0, 0, 0}, {0, 1, 0});
    EXPECT_TRUE(nodes.share_memory(0, 2));
    EXPECT_FALSE(nodes.share_memory(0, 1));
    EXPECT_TRUE(nodes.any_share_memory());
    EXPECT_FALSE(planner::NodeMap({0, 0}, {0, 1}).any_share_memory());
    EXPECT_TRUE(planner::NodeMap({0, 0}).any_share_memory());
    EXPECT_FALSE(planner::NodeMap().any_share_memory());
    const TransferCase c = from_line("8B [9,9] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2 direct");
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    const plan::Plan first = planner::make_plan(source, sink, c.options(), 0, nodes),
                     second = planner::make_plan(source, sink, c.options(), 1, nodes);
    ASSERT_EQ(first.pulls.size(), 1u);
    EXPECT_EQ(first.pulls[0].peer, 2);
    ASSERT_EQ(first.sends.size(), 1u);
    EXPECT_EQ(first.sends[0].peer, 1);
    EXPECT_TRUE(second.pulls.empty() && second.pullers.empty());
    EXPECT_EQ(second.receives.size(), 2u);
}

TEST(Plan, a_process_never_pulls_from_itself) {
    for (const plan::Plan &plan : plans_of(
             from_line("8B [4,4] block(2),* rm over 0-1 -> *,block(2) rm over 0-1 no-self direct nodes=0,0"))) {
        ASSERT_EQ(plan.sends.size(), 1u);
        EXPECT_EQ(plan.sends[0].peer, plan.rank);
        EXPECT_EQ(plan.pulls.size(), 1u);
    }
}

TEST(Plan, empty_objects_move_nothing) {
    for (const char *line : {"8B [0,8] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2",
                             "8B [4,4] at[0,0]+[2,4] *,* rm over 0 -> at[2,0]+[2,4] *,* rm over 1",
                             "8B [4,4] at[1,1]+[0,0] *,* rm over 0 -> *,* rm over 1"})
        for (const plan::Plan &plan : plans_of(from_line(line)))
            EXPECT_TRUE(is_empty(plan)) << line;
}

TEST(Plan, the_receiver_splits_and_joins_complex_numbers) {
    const auto split = plans_of(from_line("complex-float [6,8] *,* rm over 0 -> block(2),* rm/split over 1-2"));
    for (const plan::Message &m : split[0].sends) {
        ASSERT_EQ(m.copies.size(), 1u);
        EXPECT_EQ(plan::to_text(m.copies[0]), fmt::format("192B @{}->@0", m.peer == 1 ? 0 : 192));
    }
    for (size_t rank : {1u, 2u}) {
        ASSERT_EQ(split[rank].receives.size(), 1u);
        EXPECT_EQ(plan::to_text(split[rank].receives[0].copies[0]), "4B @0->@0 x[2: 4->96] x[24: 8->4]");
    }
    const auto joined = plans_of(from_line("complex-int16 [6,8] *,* rm/split over 0 -> block(2),* cm over 1-2"));
    EXPECT_EQ(plan::to_text(joined[0].sends.at(0).copies[0]), "48B @0->@0 x[2: 96->48]");
    EXPECT_EQ(plan::to_text(joined[1].receives.at(0).copies[0]), "2B @0->@0 x[8: 2->12] x[3: 16->4] x[2: 48->2]");
}

TEST(Plan, the_sender_joins_complex_numbers_of_a_single_short_message) {
    const auto joined = plans_of(from_line("complex-int16 [6,8] *,* rm/split over 0 -> *,* cm over 1"));
    EXPECT_EQ(plan::to_text(joined[0].sends.at(0).copies[0]), "2B @0->@0 x[8: 2->24] x[6: 16->4] x[2: 96->2]");
    EXPECT_EQ(plan::to_text(joined[1].receives.at(0).copies[0]), "192B @0->@0");
}

TEST(Plan, a_single_split_sink_receives_whole_planes) {
    const auto plans = plans_of(from_line("complex-float [6,8] block(2),* rm over 0-1 -> *,* rm/split over 2"));
    for (size_t rank : {0u, 1u})
        EXPECT_EQ(plan::to_text(plans[rank].sends.at(0).copies[0]), "4B @0->@0 x[2: 4->96] x[24: 8->4]");
    for (const plan::Message &m : plans[2].receives)
        EXPECT_EQ(plan::to_text(m.copies[0]), fmt::format("96B @0->@{} x[2: 96->192]", m.peer == 0 ? 0 : 96));
}

TEST(Plan, numbers_travel_in_the_smaller_type) {
    const auto widened = plans_of(from_line("int16 [6,8] *,* rm over 0 -> *,* rm over 1 to=double scale=2"));
    EXPECT_EQ(plan::to_text(widened[0].sends[0].copies[0]), "96B @0->@0");
    EXPECT_EQ(plan::to_text(widened[1].receives[0].copies[0]), "96B int16->double*2 @0->@0");
    EXPECT_EQ(widened[1].receives[0].bytes, 96);
    const auto narrowed = plans_of(from_line("double [6,8] *,* rm over 0 -> *,* rm over 1 to=int16"));
    EXPECT_EQ(plan::to_text(narrowed[0].sends[0].copies[0]), "384B double->int16 @0->@0");
    EXPECT_EQ(plan::to_text(narrowed[1].receives[0].copies[0]), "96B @0->@0");
    EXPECT_EQ(narrowed[0].sends[0].bytes, 96);
    const auto kept = plans_of(from_line("float [6] * rm over 0 -> * rm over 0 scale=3"));
    EXPECT_EQ(plan::to_text(kept[0].self[0]), "24B float->float*3 @0->@0");
}

TEST(Messages, never_cut_a_number_that_is_converted) {
    for (int64_t limit : {1, 3, 4, 5, 8, 11, 100})
        for (const char *to : {"double", "int16", "int32"}) {
            const TransferCase c = from_line(fmt::format(
                "float [5,7] block(2),* rm over 0-1 -> *,block(3) 10 over 0-2 to={} limit={}", to, limit));
            EXPECT_EQ(find_fault(c), "") << to_line(c);
            const int64_t number = std::string(to) == "int16" ? 2 : 4;
            for (const plan::Plan &plan : plans_of(c))
                for (const plan::Message &m : plan.sends) {
                    EXPECT_EQ(m.bytes % number, 0) << to_line(c);
                    EXPECT_LE(m.bytes, std::max(limit, number)) << to_line(c);
                }
        }
}

TEST(Messages, keep_the_limit_and_lose_nothing) {
    const std::vector<plan::StridedCopy> copies = {
        {12, 100, 0, {{7, 200, 12}, {5, 20, 84}}},
        {1, 0, 420, {}},
        {1000, 4000, 421, {}},
        {3, 0, 2000, {{2, 3000, 9}, {3, 10, 3}}},
    };
    int64_t total = 0;
    for (const plan::StridedCopy &copy : copies)
        total += plan::copy_bytes(copy);
    for (int64_t limit : {1, 2, 3, 5, 11, 12, 13, 84, 100, 419, 420, 421, 999, 1000, 1001, 5000}) {
        int64_t bytes = 0;
        for (const plan::Message &m : planner::split_messages(copies, 3, limit)) {
            EXPECT_EQ(m.peer, 3);
            EXPECT_LE(m.bytes, limit);
            EXPECT_GT(m.bytes, 0);
            int64_t in_copies = 0;
            for (const plan::StridedCopy &copy : m.copies)
                in_copies += plan::copy_bytes(copy);
            EXPECT_EQ(in_copies, m.bytes);
            bytes += m.bytes;
        }
        EXPECT_EQ(bytes, total) << limit;
        // Every byte of the destination comes from the same source byte as without a limit.
        std::vector<std::byte> source(6000), whole(3000);
        for (size_t i = 0; i < source.size(); ++i)
            source[i] = static_cast<std::byte>(i * 7 + i / 256);
        for (const plan::StridedCopy &copy : copies)
            copy_plainly(copy, source.data(), whole.data());
        for (const planner::ReorderAt reorder_at : {planner::ReorderAt::at_pack, planner::ReorderAt::at_unpack}) {
            std::vector<std::byte> split(3000);
            for (const plan::Message &m : planner::split_messages(copies, 3, limit)) {
                std::vector<std::byte> wire(static_cast<size_t>(m.bytes));
                for (const plan::StridedCopy &copy : planner::pack_half(m, reorder_at).copies)
                    copy_plainly(copy, source.data(), wire.data());
                for (const plan::StridedCopy &copy : planner::unpack_half(m, reorder_at).copies)
                    copy_plainly(copy, wire.data(), split.data());
            }
            EXPECT_EQ(split, whole) << limit;
        }
        std::vector<std::byte> pieces(3000);
        for (const plan::StridedCopy &copy : planner::cut_copies(copies, limit)) {
            EXPECT_LE(plan::copy_bytes(copy), limit);
            copy_plainly(copy, source.data(), pieces.data());
        }
        EXPECT_EQ(pieces, whole) << limit;
    }
    EXPECT_EQ(planner::split_messages(copies, 3, 5000).size(), 1u);
    EXPECT_TRUE(planner::split_messages({}, 3, 10).empty());
}

} // namespace dri::test
