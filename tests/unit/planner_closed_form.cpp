// Plans of arrays that are too large to walk: their cost depends on block patterns, not on sizes.
#include "planner/planner.hpp"

#include "support/plan_check.hpp"
#include "support/random_case.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

constexpr int grid_side = 8, processes = grid_side * grid_side;

// A square array, cyclic(8,36) in both dimensions to cyclic(8,128), on the transposed grid of processes.
TransferCase square(int64_t n, const std::string &sink_layout = "rm") {
    std::vector<int> turned;
    for (int row = 0; row < grid_side; ++row)
        for (int column = 0; column < grid_side; ++column)
            turned.push_back(column * grid_side + row);
    TransferCase c = from_line(fmt::format("8B [{0},{0}] cyclic(8,36),cyclic(8,36) rm over 0-63 -> "
                                           "cyclic(8,128),cyclic(8,128) {1} over {2}",
                                           n, sink_layout, fmt::join(turned, ",")));
    c.message_bytes = c.chunk_bytes = INT64_MAX; // no cutting, because that would make more messages
    return c;
}

std::vector<size_t> copies(const plan::Plan &plan) {
    std::vector<size_t> counts{plan.self.size()};
    for (const auto *messages : {&plan.sends, &plan.receives})
        for (const plan::Message &m : *messages)
            counts.push_back(m.copies.size());
    return counts;
}

} // namespace

TEST(ClosedForm, a_million_squared_for_64_processes) {
    const int64_t n = 1'000'000;
    const TransferCase c = square(n);
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    std::vector<plan::Plan> plans;
    std::vector<BufferBytes> buffers;
    int64_t sent = 0, received = 0, kept = 0;
    for (int rank = 0; rank < processes; ++rank) {
        plans.push_back(planner::make_plan(source, sink, c.options(), rank));
        buffers.push_back({planner::buffer_bytes(source, *source.dist->group().position(rank)),
                           planner::buffer_bytes(sink, *sink.dist->group().position(rank))});
        // Every process sends to every other one.
        EXPECT_EQ(plans.back().sends.size(), processes - 1u);
        EXPECT_EQ(plans.back().receives.size(), processes - 1u);
        sent += plan::send_bytes(plans.back());
        received += plan::receive_bytes(plans.back());
        kept += plan::self_bytes(plans.back());
        EXPECT_EQ(plan::self_bytes(plans.back()) + plan::receive_bytes(plans.back()), buffers.back().sink);
        EXPECT_EQ(plan::self_bytes(plans.back()) + plan::send_bytes(plans.back()), buffers.back().source);
    }
    EXPECT_EQ(sent + kept, n * n * 8);
    EXPECT_EQ(received + kept, n * n * 8);
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST(ClosedForm, plans_do_not_grow_with_the_array) {
    // lcm(8 * 36, 8 * 128). Sizes that end at the same offset of the common period have equal plans.
    constexpr int64_t period = 9216;
    for (const char *layout : {"rm", "10"})
        for (int64_t rest : {int64_t{0}, int64_t{1}, int64_t{1'000'000} % period}) {
            std::vector<std::vector<size_t>> counts;
            for (int64_t periods : {100, 1000, 10'000}) { // 10^12, 10^14 and 10^16 elements
                const TransferCase c = square(periods * period + rest, layout);
                const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
                counts.push_back(copies(planner::make_plan(source, sink, c.options(), 19)));
            }
            EXPECT_EQ(counts[0], counts[1]) << layout << " " << rest;
            EXPECT_EQ(counts[0], counts[2]) << layout << " " << rest;
        }
}

TEST(ClosedForm, of_one_dimension_with_blocks_of_any_length) {
    for (const char *cuts : {"cyclic(7,1) rm over 0-6 -> cyclic(5,1000) rm over 0-4",
                             "cyclic(64,1) rm over 0-63 -> cyclic(63,1) rm over 0-62",
                             "cyclic(16,64) rm over 0-15 -> block(16) rm over 0-15",
                             "block(3,prop) rm over 0-2 -> cyclic(1000,33) rm over 0-999"}) {
        const TransferCase c = from_line(fmt::format("4B [1000000000000] {}", cuts));
        const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
        planner::PlanOptions options;
        options.message_bytes = options.chunk_bytes = INT64_MAX;
        int64_t bytes = 0;
        for (int rank = 0; rank < c.world(); ++rank) {
            const plan::Plan plan = planner::make_plan(source, sink, options, rank);
            bytes += plan::send_bytes(plan) + plan::self_bytes(plan);
        }
        EXPECT_EQ(bytes, 4'000'000'000'000) << cuts;
    }
}

// Blocks without a common divisor have a long period. Each dimension lists thousands of pieces, and their products
// are never listed.
TEST(ClosedForm, blocks_without_a_common_divisor) {
    const TransferCase c = from_line("8B [10000000,10000000] cyclic(7,1000),cyclic(7,1000) rm over 0-48 -> "
                                     "cyclic(5,997),cyclic(5,997) 10 over 0-24");
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    planner::PlanOptions options;
    options.message_bytes = options.chunk_bytes = INT64_MAX;
    const plan::Plan plan = planner::make_plan(source, sink, options, 11);
    EXPECT_EQ(plan::self_bytes(plan) + plan::receive_bytes(plan), planner::buffer_bytes(sink, 11));
    EXPECT_EQ(plan::self_bytes(plan) + plan::send_bytes(plan), planner::buffer_bytes(source, 11));
    for (size_t n : copies(plan))
        EXPECT_LE(n, 16u);
}

} // namespace dri::test
