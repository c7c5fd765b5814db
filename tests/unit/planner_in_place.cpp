// Plans in place: what they cost for many processes.
#include "support/plan_in_place.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dri::test {
namespace {

// Nothing that is sent is overwritten, so nothing is cut for that.
TEST(OverlapInPlace, each_neighbour_gets_one_message) {
    const std::string side = "block(6)<2w:1w>,* rm over 0-5";
    const plan::Plan plan = plan_in_place(fmt::format("8B [600,400] {} -> {}", side, side), 2, false);
    ASSERT_EQ(plan.sends.size(), 2u);
    EXPECT_EQ(plan.sends[0].peer, 3);
    EXPECT_EQ(plan.sends[0].bytes, 2 * 400 * 8) << "two rows before the next part";
    EXPECT_EQ(plan.sends[1].peer, 1);
    EXPECT_EQ(plan.sends[1].bytes, 400 * 8);
    EXPECT_EQ(plan.receives.size(), 2u);
    EXPECT_EQ(plan.in_place->packed_before, std::vector<size_t>(2, 0)) << "receives wait for no send";
    EXPECT_EQ(plan::self_bytes(plan), 100 * 400 * 8);
}

// Long rows are cut as all messages in place are, to bound the workspace.
TEST(OverlapInPlace, long_rows_are_cut_to_chunks) {
    const std::string side = "block(4)<1w:1w>,* rm over 0-3";
    const plan::Plan plan = plan_in_place(fmt::format("8B [40,100000] {} -> {}", side, side), 2, false);
    for (const plan::Message &m : plan.sends)
        EXPECT_LE(m.bytes, 256 << 10);
    EXPECT_EQ(plan.sends.size(), 2u * 4u);
}

// Both neighbours are one process. Long rows need no packing as messages of their own, short ones share a message.
TEST(OverlapInPlace, long_rows_to_one_process_are_messages_of_their_own) {
    for (const auto &[columns, messages] : {std::pair(252, size_t{1}), std::pair(253, size_t{2})}) {
        const std::string side = "block(2)<1w:1w>,* rm over 0-1";
        for (const int rank : {0, 1}) {
            const plan::Plan plan =
                plan_in_place(fmt::format("8B [12,{}] {} -> {}", columns, side, side), rank, false);
            ASSERT_EQ(plan.sends.size(), messages);
            ASSERT_EQ(plan.receives.size(), messages);
            std::set<int64_t> rows_sent, rows_received;
            for (size_t i = 0; messages == 2 && i < messages; ++i) {
                rows_sent.insert(plan::stretch_in_buffer(plan.sends[i], plan::BufferUse::read).value_or(-1) /
                                 columns / 8);
                rows_received.insert(
                    plan::stretch_in_buffer(plan.receives[i], plan::BufferUse::written).value_or(-1) / columns /
                    8);
            }
            if (messages == 2) {
                EXPECT_EQ(rows_sent, (std::set<int64_t>{1, 6}));
                EXPECT_EQ(rows_received, (std::set<int64_t>{0, 7}));
            } else {
                EXPECT_FALSE(plan::stretch_in_buffer(plan.sends[0], plan::BufferUse::read));
                EXPECT_EQ(plan.sends[0].bytes, 2 * 8 * columns);
            }
        }
    }
}

// In another layout, or with a scale, owned elements move, too.
// On a node MPI asks the receiver before it sends a longer message.
TEST(OverlapInPlace, rows_of_some_kilobytes_are_short_messages_on_a_node) {
    for (const auto &[columns, messages, max_bytes] :
         {std::tuple(512, size_t{4}, 4032), std::tuple(756, size_t{4}, 4032),
          std::tuple(757, size_t{2}, 757 * 8)}) {
        const std::string side = "block(2)<1w:1w>,* rm over 0-1";
        const TransferCase c = from_line(fmt::format("8B [12,{}] {} -> {}", columns, side, side));
        planner::PlanOptions options = c.options();
        options.in_place = true;
        const planner::NodeMap one_node({0, 0});
        const plan::Plan plan =
            planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, 0, one_node);
        ASSERT_EQ(plan.sends.size(), messages);
        int64_t bytes = 0;
        for (const plan::Message &m : plan.sends) {
            EXPECT_LE(m.bytes, max_bytes);
            bytes += m.bytes;
        }
        EXPECT_EQ(bytes, 2 * 8 * columns);
    }
}

// Two copies of up to 16 rows each go to the only neighbour. More than 16 rows are packed together.
TEST(OverlapInPlace, many_rows_to_one_process_are_packed) {
    for (const int64_t rows : {8, 9, 16}) {
        const std::string side = "*,block(2)<1w:1w>,* rm over 0-1";
        const plan::Plan plan = plan_in_place(fmt::format("8B [{},64,200] {} -> {}", rows, side, side), 1, false);
        EXPECT_EQ(plan.sends.size(), rows == 8 ? 16u : 1u);
        int64_t bytes = 0;
        for (const plan::Message &m : plan.sends)
            bytes += m.bytes;
        EXPECT_EQ(bytes, 2 * rows * 200 * 8);
        EXPECT_EQ(plan.receives.size(), plan.sends.size());
    }
}

// Two columns of so many rows, from the only neighbour. Its process packs many of them sooner than they are
// fetched.
TEST(OverlapInPlace, columns_of_many_rows_are_packed_on_a_node) {
    for (const auto &[rows, width, is_direct] : {std::tuple(511, 1, true), std::tuple(512, 1, false),
                                                 std::tuple(512, 8, false), std::tuple(512, 9, true)}) {
        SCOPED_TRACE(fmt::format("{} rows, {} wide", rows, width));
        const std::string side = fmt::format("*,block(2)<{}w:{}w> rm over 0-1", width, width);
        const TransferCase c = from_line(fmt::format("8B [{},64] {} -> {}", rows, side, side));
        for (const int rank : {0, 1}) {
            planner::PlanOptions options = c.options();
            options.in_place = options.direct_way = true;
            const plan::Plan plan = planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, rank,
                                                       planner::NodeMap({0, 0}));
            EXPECT_EQ(plan.pulls.size(), is_direct ? 1u : 0u);
            EXPECT_EQ(plan.pullers.size(), is_direct ? 1u : 0u);
            EXPECT_EQ(plan.sends.empty(), is_direct);
            EXPECT_EQ(plan.receives.empty(), is_direct);
        }
    }
}

TEST(OverlapInPlace, parts_that_differ_are_cut_into_rounds) {
    const std::string side = "block(6)<1w:1w>,* rm over 0-5", turned = "block(6)<1w:1w>,* cm over 0-5";
    const plan::Plan plan = plan_in_place(fmt::format("8B [600,400] {} -> {}", side, turned), 2, false);
    EXPECT_GT(plan.sends.size(), 3u);
    EXPECT_LT(plan::self_bytes(plan), 100 * 400 * 8);
}

// Comparing each send with each receive would take some hundred million steps.
TEST(InPlaceForMany, comparisons_grow_with_the_number_of_messages) {
    const std::string rows = "block(1024),* rm over 0-1023", columns = "*,block(1024) cm over 0-1023";
    const std::string cyclic = "cyclic(1024,4),* rm over 0-1023",
                      cyclic_columns = "*,cyclic(1024,4) cm over 0-1023";
    for (const auto &[from, to] : {std::pair(rows, columns), std::pair(cyclic, cyclic_columns)})
        for (const char *sizes : {"[30000,20001]", "[16384,16384]", "[32768,16384]"}) {
            for (const bool arranges : {false, true}) {
                const plan::Plan plan =
                    plan_in_place(fmt::format("8B {} {} -> {}", sizes, from, to), 333, arranges);
                ASSERT_GT(plan.sends.size(), 2000u);
                int64_t comparisons = 0;
                const plan::InPlaceOrder order = plan::in_place_order(plan.sends, plan.receives, &comparisons);
                EXPECT_EQ(order.packed_before, plan.in_place->packed_before);
                EXPECT_LE(comparisons, 50 * static_cast<int64_t>(plan.receives.size()))
                    << sizes << " " << from << (arranges ? ", arranged, " : ", ") << plan.sends.size() << " sends";
            }
            if (sanitized)
                break; // the numbers are the same there
        }
}

// With rising lists, what lies near the front on one side lies near the front on the other.
TEST(ListsInPlace, that_both_rise_need_little_memory) {
    Dice dice(81);
    constexpr int64_t n = 20'000;
    const std::string list = dealt_lists(dice, n, 4, true), other = dealt_lists(dice, n, 4, true);
    const int64_t part = n * 21 * 8 / 4;
    for (const auto &[from, to] :
         {std::pair(list, other), {list, std::string("cyclic(4,3)")}, {std::string("cyclic(4,1)"), list}}) {
        const plan::Plan plan =
            plan_in_place(fmt::format("8B [{},21] {},* rm over 0-3 -> {},* rm over 0-3", n, from, to), 1, false);
        EXPECT_LE(bytes_at_once(plan), part / 4) << plan.in_place->sends_at_once << " sends at once";
    }
    // With shuffled lists, any element may overwrite any other.
    const plan::Plan plan = plan_in_place(
        fmt::format("8B [{},21] {},* rm over 0-3 -> {},* rm over 0-3", n, list, dealt_lists(dice, n, 4, false)), 1,
        false);
    EXPECT_GT(bytes_at_once(plan), part / 2);
}

// The number of table entries of all messages.
int64_t entries_of(const plan::Plan &plan) {
    int64_t entries = 0;
    for (const auto *messages : {&plan.sends, &plan.receives})
        for (const plan::Message &m : *messages)
            for (const plan::StridedCopy &copy : m.copies)
                for (const plan::Table &table : copy.tables)
                    entries += std::ssize(table.entries);
    return entries;
}

// A plan with one message in each direction for each pair of processes.
plan::Plan plan_in_whole_messages(const std::string &line, int rank) {
    const TransferCase c = from_line(line);
    planner::PlanOptions options = c.options();
    options.self_way = options.direct_way = false;
    options.message_bytes = options.chunk_bytes = INT64_MAX;
    return planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, rank);
}

constexpr int64_t entry_bytes = sizeof(plan::TableEntry); // bound copies share the entries of the plan

// The memory of the lists of a plan in place, minus that with one message for each pair of processes.
int64_t lists_again(const plan::Plan &plan, const std::string &line) {
    return (entries_of(plan) - entries_of(plan_in_whole_messages(line, 0))) * entry_bytes;
}

// With one message for each pair of processes, everything is sent first, and one slot receives.
int64_t bytes_in_whole_pieces(int64_t part, int64_t parts) { return part + part / parts; }

// Rows may move between any processes, columns in any order or by blocks.
TEST(ListsInPlace, along_two_dimensions_use_no_more_than_the_workspace_that_they_save) {
    Dice dice(82);
    struct Shape {
        int64_t rows, columns, bytes;
    };
    for (const auto &[rows, columns, bytes] :
         {Shape{64, sanitized ? 2000 : 20'000, 4}, {600, 700, 4}, {900, 300, 16}})
        for (const int64_t parts : {2, 1, 4}) {
            const std::string over = fmt::format("rm over 0-{}", parts - 1), cut = fmt::format("block({})", parts);
            const auto list = [&, indices = columns] { return dealt_lists(dice, indices, 1, false); };
            const auto dealt = [&, indices = rows] { return dealt_lists(dice, indices, parts, true); };
            for (const auto &[from, to] : {std::pair(dealt(), dealt()), {cut, cut}, {dealt(), cut}})
                for (const bool arranges : {false, true}) {
                    const std::string line = fmt::format("{}B [{},{}] {},{} {} -> {},{} {}", bytes, rows, columns,
                                                         from, list(), over, to, list(), over);
                    const plan::Plan plan = plan_in_place(line, 0, arranges);
                    EXPECT_GE(entries_of(plan), columns * 9 / 10) << "lists are tables";
                    const int64_t part = plan::send_bytes(plan) + plan::self_bytes(plan);
                    EXPECT_LE(lists_again(plan, line), bytes_in_whole_pieces(part, parts)) << line.substr(0, 20);
                }
            if (sanitized)
                break; // the numbers are the same there
        }
}

TEST(ListsInPlace, along_two_dimensions_need_one_pth_if_that_saves_more_than_it_costs) {
    Dice dice(84);
    struct Shape {
        int64_t rows, columns, bytes, parts;
    };
    for (const auto &[rows, columns, bytes, parts] :
         {Shape{8000, 250, 32, 2}, {2000, 500, 16, 2}, {4000, 1000, 16, 2}, {8000, 400, 64, 4}}) {
        const auto lists = [&, rows = rows, columns = columns, parts = parts] {
            return fmt::format("{},{} rm over 0-{}", dealt_lists(dice, rows, parts, true),
                               dealt_lists(dice, columns, 1, false), parts - 1);
        };
        const std::string line = fmt::format("{}B [{},{}] {} -> {}", bytes, rows, columns, lists(), lists());
        const plan::Plan plan = plan_in_place(line, 0, false);
        const int64_t part = plan::send_bytes(plan) + plan::self_bytes(plan);
        EXPECT_LE(bytes_at_once(plan), part / parts) << line.substr(0, 20);
        EXPECT_LE(lists_again(plan, line), bytes_in_whole_pieces(part, parts) - bytes_at_once(plan))
            << line.substr(0, 20);
        if (sanitized)
            break;
    }
}

// The two kept runs are a loop of count 2, whose steps may be far apart.
TEST(ListsInPlace, with_two_runs_of_one_length_need_little_memory) {
    Dice dice(85);
    constexpr int64_t rows = 8000, columns = 250, parts = 2;
    const auto lists = [&] {
        return fmt::format("{},{} rm over 0-1", dealt_lists(dice, rows, parts, true, {100, rows - 200}),
                           dealt_lists(dice, columns, 1, false));
    };
    const plan::Plan plan =
        plan_in_place(fmt::format("32B [{},{}] {} -> {}", rows, columns, lists(), lists()), 0, false);
    EXPECT_LE(bytes_at_once(plan), (plan::send_bytes(plan) + plan::self_bytes(plan)) / parts);
}

// Along the long dimension lists are short, and slabs hold the entries of one dimension only.
TEST(ListsInPlace, along_two_dimensions_need_little_memory_if_entries_are_large) {
    Dice dice(83);
    constexpr int64_t rows = 2000, columns = 30, samples = 500;
    const auto lists = [&] {
        return fmt::format("{},{},*", dealt_lists(dice, rows, 4, true), dealt_lists(dice, columns, 1, false));
    };
    const plan::Plan plan = plan_in_place(
        fmt::format("8B [{},{},{}] {} rm over 0-3 -> {} rm over 0-3", rows, columns, samples, lists(), lists()), 1,
        false);
    const int64_t part = rows * columns * samples * 8 / 4;
    EXPECT_LE(bytes_at_once(plan), part / 2) << plan.in_place->sends_at_once << " sends at once";
    EXPECT_LE(entries_of(plan) * static_cast<int64_t>(sizeof(plan::TableEntry)), part / 16);
}

} // namespace
} // namespace dri::test
