// The shape of messages: chunks that fit into caches, reordered on one side, read along the source, written in
// whole cache lines.
#include "planner/messages.hpp"
#include "planner/planner.hpp"

#include "support/dice.hpp"
#include "support/oracle_run.hpp"
#include "support/plan_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace dri::test {

namespace {

constexpr int64_t chunk = planner::PlanOptions{}.chunk_bytes;

plan::Plan plan_of(const std::string &line, int rank, const planner::NodeMap &nodes = {}) {
    const TransferCase c = from_line(line);
    return planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), rank, nodes);
}

// The length of contiguous bytes on one side, across all loops that are dense there.
int64_t dense_bytes(const plan::StridedCopy &copy, int64_t plan::Loop::*stride) {
    int64_t run = copy.run_bytes;
    for (bool grows = true; grows;) {
        grows = false;
        for (const plan::Loop &loop : copy.loops)
            if (loop.*stride == run) {
                run *= loop.count;
                grows = true;
                break;
            }
    }
    return run;
}

int64_t count_turned(const std::vector<plan::Message> &messages) {
    return std::count_if(messages.begin(), messages.end(),
                         [](const plan::Message &m) { return m.copies.at(0).run_bytes == 8; });
}

// How many messages of each length go to, or come from, each peer.
std::map<std::pair<int, int64_t>, int64_t> counts_of(const std::vector<plan::Message> &messages) {
    std::map<std::pair<int, int64_t>, int64_t> counts;
    for (const plan::Message &m : messages)
        counts[{m.peer, m.bytes}] += m.alike;
    return counts;
}

} // namespace

TEST(Chunks, of_a_corner_turn_follow_the_source_and_fill_lines_of_the_sink) {
    const plan::Plan plan = plan_of("8B [2048,2048] block(2),* rm over 0-1 -> *,block(2) 10 over 0-1", 0);
    ASSERT_EQ(std::ssize(plan.sends), 1024 * 1024 * 8 / chunk);
    ASSERT_EQ(plan.receives.size(), plan.sends.size());
    int64_t next = plan.sends[0].copies.at(0).src_offset;
    for (const plan::Message &m : plan.sends) {
        EXPECT_EQ(m.bytes, chunk);
        ASSERT_EQ(m.copies.size(), 1u);
        EXPECT_EQ(m.copies[0].src_offset, next) << "the next stretch of the source";
        EXPECT_EQ(m.copies[0].run_bytes, 1024 * 8) << "a row's whole piece";
        next += chunk / (1024 * 8) * 2048 * 8;
    }
    for (const plan::Message &m : plan.receives)
        EXPECT_GE(dense_bytes(m.copies.at(0), &plan::Loop::dst_stride), 256);
}

// Each chunk holds some entries of one list and all entries of the other list.
TEST(Chunks, of_two_long_lists_store_the_uncut_list_once) {
    constexpr int64_t rows = 1200, columns = 8000;
    Dice dice(41);
    // Each index belongs to one of two lists at random.
    const auto dealt = [&](int64_t n) {
        std::vector<int64_t> lists[2];
        for (int64_t i = 0; i < n; ++i)
            lists[dice.chance(50)].push_back(i);
        return fmt::format("idx({}|{})", fmt::join(lists[0], ":"), fmt::join(lists[1], ":"));
    };
    const plan::Plan plan = plan_of(
        fmt::format("8B [{},{}] {},{} rm over 0-3 -> *,* rm over 4", rows, columns, dealt(rows), dealt(columns)),
        4);
    ASSERT_GT(plan.receives.size(), 30u);
    std::set<const void *> kept;
    int64_t entries = 0, all = 0;
    for (const plan::Message &m : plan.receives)
        for (const plan::StridedCopy &copy : m.copies)
            for (const plan::Table &table : copy.tables) {
                all += std::ssize(table.entries);
                entries += kept.insert(table.entries.memory()).second ? std::ssize(table.entries) : 0;
            }
    EXPECT_GT(all, 10 * (rows + columns)) << "of all messages together";
    EXPECT_LE(entries, 4 * (rows + columns)) << "each pair holds the entries of both lists";
}

// Chunks of whole rows would be only a few numbers wide in the sink.
TEST(Chunks, of_long_rows_are_pieces_of_them) {
    const plan::Plan plan = plan_of("8B [256,131072] block(2),* rm over 0-1 -> *,block(2) 10 over 0-1", 1);
    ASSERT_EQ(std::ssize(plan.sends), int64_t{128} * 65536 * 8 / chunk);
    for (const plan::Message &m : plan.sends)
        EXPECT_EQ(m.copies.at(0).run_bytes, chunk / 32);
    for (const plan::Message &m : plan.receives)
        EXPECT_EQ(dense_bytes(m.copies.at(0), &plan::Loop::dst_stride), 32 * 8);
}

// MPI sends short messages at once, and longer ones only after a handshake with the receiver.
TEST(Chunks, for_the_only_other_process_of_a_node_are_short_if_data_are_few) {
    const auto turn = [](int n, int processes, const planner::NodeMap &nodes) {
        const std::string part = fmt::format("block({})", processes),
                          over = fmt::format("over 0-{}", processes - 1);
        return plan_of(fmt::format("8B [{0},{0}] {1},* rm {2} -> *,{1} 10 {2}", n, part, over), 1, nodes);
    };
    const planner::NodeMap one({0, 0}), two({0, 1});
    for (const int n : {48, 64, 72}) { // 4.6, 8 and 10 KB
        const plan::Plan plan = turn(n, 2, one);
        EXPECT_GT(plan.sends.size(), 1u) << n;
        EXPECT_LE(plan.sends.size(), 3u) << n;
        EXPECT_EQ(plan.receives.size(), plan.sends.size());
        EXPECT_EQ(count_turned(plan.sends), std::ssize(plan.sends)) << "the sender reorders";
        for (const plan::Message &m : plan.sends)
            EXPECT_LE(m.bytes, 4032) << n;
    }
    EXPECT_EQ(turn(32, 2, one).sends.size(), 1u) << "already short";
    EXPECT_EQ(turn(96, 2, one).sends.size(), 1u) << "there would be many";
    EXPECT_EQ(turn(64, 2, two).sends.size(), 1u) << "another node";
    EXPECT_EQ(turn(128, 4, planner::NodeMap({0, 0, 0, 0})).sends.size(), 3u) << "one for each";
    const plan::Plan apart =
        plan_of("8B [64,64] block(2),* rm over 0-1 -> *,block(2) 10 over 2-3", 1, planner::NodeMap({0, 0, 0, 0}));
    EXPECT_EQ(apart.sends.size(), 2u) << "one for each, of four processes in all";
    const plan::Plan one_to_one = plan_of("8B [32,32] *,* rm over 0 -> *,* 10 over 1", 0, one);
    EXPECT_EQ(one_to_one.sends.size(), 3u);
    // Rows that are shorter than a short message.
    EXPECT_EQ(plan_of("1B [5,4832] *,block(2) rm over 0-1 -> *,* rm over 1", 0, one).sends.size(), 1u)
        << "not five";
}

TEST(Chunks, the_side_with_more_processes_reorders) {
    const char *line = "8B [64,64] block({}),* rm over 0-{} -> *,block({}) 10 over 4-{}";
    const auto plan = [&](int sources, int sinks, int rank) {
        return plan_of(fmt::format(fmt::runtime(line), sources, sources - 1, sinks, 3 + sinks), rank);
    };
    const plan::Plan many_send = plan(4, 2, 0), few_receive = plan(4, 2, 5);
    EXPECT_EQ(count_turned(many_send.sends), 2);
    EXPECT_EQ(count_turned(few_receive.receives), 0);
    const plan::Plan few_send = plan(2, 4, 0), many_receive = plan(2, 4, 5);
    EXPECT_EQ(count_turned(few_send.sends), 0);
    EXPECT_EQ(count_turned(many_receive.receives), 2);
    const plan::Plan as_many =
        plan_of("8B [1024,1024] block(2),* rm over 0-1 -> *,block(2) 10 over 2-3 chunk=65536", 0);
    EXPECT_EQ(as_many.sends.size(), 64u);
    EXPECT_EQ(count_turned(as_many.sends), 0) << "the receiver reorders while the next message arrives";
}

TEST(Chunks, a_single_short_message_is_reordered_by_the_sender) {
    const auto plan = [&](int rank, int64_t chunk_bytes) {
        return plan_of(
            fmt::format("8B [66,64] block(3),* rm over 0-2 -> *,block(3) 10 over 3-5 chunk={}", chunk_bytes),
            rank);
    };
    const int64_t longest = 22 * 22 * 8;
    EXPECT_EQ(count_turned(plan(0, longest).sends), 3);
    EXPECT_EQ(count_turned(plan(4, longest).receives), 0);
    const plan::Plan cut = plan(0, longest / 2);
    EXPECT_EQ(cut.sends.size(), 6u);
    EXPECT_EQ(count_turned(cut.sends), 0);
    const auto square = [&](int n) {
        return plan_of(fmt::format("8B [{0},{0}] block(2),* rm over 0-1 -> *,block(2) 10 over 0-1", n), 0);
    };
    EXPECT_EQ(count_turned(square(512).sends), 1);
    const plan::Plan longer = square(514);
    EXPECT_EQ(longer.sends.size(), 1u);
    EXPECT_EQ(count_turned(longer.sends), 0) << "too long to stay in cache until it is sent";
}

TEST(Chunks, the_own_part_is_cut_only_beside_messages) {
    const char *line = "8B [64,64] block({0}),* rm over 0-{1} -> *,block({0}) 10 over 0-{1} chunk=1024{2}";
    EXPECT_EQ(plan_of(fmt::format(fmt::runtime(line), 1, 0, ""), 0).self.size(), 1u);
    const plan::Plan direct = plan_of(fmt::format(fmt::runtime(line), 2, 1, " direct nodes=0,0"), 0);
    const plan::Plan messages = plan_of(fmt::format(fmt::runtime(line), 2, 1, ""), 0);
    EXPECT_GT(messages.self.size(), 1u);
    for (const plan::StridedCopy &piece : messages.self)
        EXPECT_LE(plan::copy_bytes(piece), 1024);
    EXPECT_EQ(plan::self_bytes(messages), 32 * 32 * 8);
    EXPECT_EQ(plan::self_bytes(direct), 32 * 32 * 8);
}

// A plan lists its chunks. Between two processes there are never more than a few hundred, however much they
// exchange, and no message exceeds the user's limit.
TEST(Chunks, grow_if_there_would_be_too_many) {
    const std::string line = "8B [100000,100000] block(2),* rm over 0-1 -> *,block(2) 10 over 0-1";
    const plan::Plan plan = plan_of(line, 0);
    EXPECT_LE(plan.sends.size(), 400u);
    EXPECT_EQ(plan::send_bytes(plan), int64_t{50000} * 50000 * 8);
    for (const plan::Message &m : plan.sends)
        EXPECT_GE(m.bytes, chunk);
    for (const plan::Message &m : plan_of(line + " limit=30000000", 0).sends)
        EXPECT_LE(m.bytes, 30'000'000);
    for (const plan::Message &m :
         plan_of("1B [1000] block(2) rm over 0-1 -> block(2) rm over 1,0 limit=7", 0).sends)
        EXPECT_LE(m.bytes, 7);
}

// All bytes arrive exactly once, whatever the chunks. The checker of plans detects a missing chunk.
TEST(Chunks, carry_every_element_once) {
    for (const char *line :
         {"8B [97,64] block(4),* rm over 0-3 -> *,block(7) 10 over 0-6 chunk=100",
          "8B [13,9] block(4),* rm over 0-3 -> *,block(7) 10 over 0-6 limit=1",
          "3B [40,30,5] block(3),*,* 012 over 0-2 -> *,cyclic(3,4),* 210 over 0-2 chunk=64",
          "16B [33,65] cyclic(2,3),* rm over 0-1 -> *,cyclic(2,5) 10 over 0-1 chunk=300 no-self"})
        EXPECT_EQ(find_fault(from_line(line)), "") << line;
    const TransferCase c = from_line("8B [64,64] block(2),* rm over 0-1 -> *,block(2) 10 over 0-1 chunk=1024");
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    std::vector<plan::Plan> plans{planner::make_plan(source, sink, c.options(), 0),
                                  planner::make_plan(source, sink, c.options(), 1)};
    const std::vector<BufferBytes> buffers(2, {64 * 32 * 8, 64 * 32 * 8});
    EXPECT_EQ(check_plans(plans, buffers), "");
    plans[0].sends.pop_back();
    EXPECT_NE(check_plans(plans, buffers), "");
}

// Plans of all processes with the longest messages allowed: between any two processes at most 256 chunks, and
// twice as many after each halving.
TEST(Chunks, are_halved_to_use_less_memory) {
    for (const char *line : {"8B [1024,700] block(3),* rm over 0-2 -> *,block(2) 10 over 1-2",
                             "4B [300,2000] cyclic(2,7),* rm over 0-1 -> *,cyclic(3,5) rm over 0-2",
                             "16B [64,64,40] *,block(2),* rm over 0-1 -> block(4),*,* 201 over 0-3"}) {
        const TransferCase c = from_line(line);
        const planner::Side from = make_side(c, c.source), to = make_side(c, c.sink);
        planner::PlanOptions options = c.options();
        int64_t longest_before = INT64_MAX;
        for (options.halvings = 0; options.halvings <= planner::max_halvings; ++options.halvings) {
            std::vector<plan::Plan> plans;
            std::vector<BufferBytes> buffers;
            int64_t longest = 0;
            for (int rank = 0; rank < 4; ++rank) {
                plans.push_back(planner::make_plan(from, to, options, rank));
                const auto bytes = [&](const planner::Side &side) {
                    const auto position = side.dist->group().position(rank);
                    return position ? planner::buffer_bytes(side, *position) : 0;
                };
                buffers.push_back({bytes(from), bytes(to)});
                planner::PlanOptions for_lengths = options;
                for_lengths.made_for = planner::PlanFor::lengths;
                const plan::Plan lengths = planner::make_plan(from, to, for_lengths, rank);
                EXPECT_EQ(counts_of(lengths.sends), counts_of(plans.back().sends)) << line;
                EXPECT_EQ(counts_of(lengths.receives), counts_of(plans.back().receives)) << line;
                for (const plan::Message &m : plans.back().sends)
                    longest = std::max(longest, m.bytes);
            }
            EXPECT_EQ(check_plans(plans, buffers), "") << line << " halved " << options.halvings;
            EXPECT_LE(longest, chunk >> options.halvings) << line;
            EXPECT_LE(longest, longest_before) << line;
            longest_before = longest;
        }
        EXPECT_GT(longest_before, 0);
    }
    EXPECT_EQ(chunk >> planner::max_halvings, 4096);
    const plan::StridedCopy small{2048, 0, 0, {}, {}, {}}, large{int64_t{1} << 40, 0, 0, {}, {}, {}};
    for (const auto &[halvings, limit] : {std::pair{7, 16384}, std::pair{8, 1024}, std::pair{9, 512}})
        EXPECT_EQ(planner::message_limit({small}, INT64_MAX, chunk, halvings), limit) << halvings;
    for (const auto &[bytes, limit] :
         {std::pair{1, 1}, std::pair{36, 18}, std::pair{127, 64}, std::pair{128, 64}}) {
        const plan::StridedCopy tiny{bytes, 0, 0, {}, {}, {}};
        EXPECT_EQ(planner::message_limit({tiny}, INT64_MAX, chunk, planner::max_halvings), limit) << bytes;
    }
    for (int halvings = 0; halvings <= planner::max_halvings; ++halvings)
        EXPECT_EQ(planner::message_limit({large}, INT64_MAX, chunk, halvings),
                  int64_t{1} << (32 - std::min(halvings, 6)))
            << "a plan does not grow with the array";
}

} // namespace dri::test
