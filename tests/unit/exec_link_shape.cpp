// What the rules of flow control are told of a link: whether the process takes from itself, and from and for whom
// data and headers move.
#include "exec/link.hpp"
#include "planner/planner.hpp"

#include "unit/exec_lane_script.hpp"

#include "support/oracle_run.hpp"
#include "support/random_case.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

// A link of a plan for two processes. stream: frames have headers, which process 0 sends to itself and to
// process 1.
exec::LinkShape shape_of(const plan::Plan &given, bool stream) {
    const auto plan = std::make_shared<const plan::Plan>(given);
    std::unique_ptr<transport::Transport> loopback = std::move(make_loopback(1).front());
    KeptTransport<LaneExchange> transport{*loopback};
    exec::Kernels kernels;
    kernels.find_isa();
    exec::KernelChooser chooser(kernels);
    transport::SharedSource elsewhere(1, 1, 512, 8);
    const auto opened = std::make_shared<transport::OpenedMemory>();
    exec::LinkSpec spec{.plan = plan, .layout = exec::link_layout(*plan, {})};
    if (!plan->pullers.empty())
        spec.direct.source =
            std::make_shared<transport::SharedSource>(static_cast<int>(plan->pullers.size()), 1, 512, 8);
    for (size_t i = 0; i < plan->pulls.size(); ++i)
        spec.direct.views.emplace_back(elsewhere.handle(0), opened);
    exec::HeaderPeers peers;
    peers.first = 0;
    peers.in_sink = true;
    peers.has_own = plan->rank == 0;
    if (plan->rank == 0)
        peers.to = {0, 1};
    if (stream)
        spec.headers = exec::HeaderChannel(exec::header_layout(peers), transport, 1);
    return exec::Link(std::move(spec), chooser, transport).shape();
}

struct Facts {
    bool own_part, copies_own, has_outflow, has_inflow;
};

void expect_facts(const exec::LinkShape &shape, const Facts &facts) {
    EXPECT_EQ(shape.own_part, facts.own_part) << "own part";
    EXPECT_EQ(shape.copies_own, facts.copies_own) << "copies";
    EXPECT_EQ(shape.has_outflow, facts.has_outflow) << "outflow";
    EXPECT_EQ(shape.has_inflow, facts.has_inflow) << "inflow";
}

} // namespace

// Ways: the sum of 1 in the process, 2 messages and 4 direct.
TEST(LinkShape, tells_who_takes_from_whom) {
    const char *turn = "8B [8,8] block(2),* rm over 0-1 -> *,block(2) rm over 0-1";
    const char *away = "8B [8,8] block(1),* rm over 0 -> *,block(1) rm over 1";
    const char *same = "8B [8,8] block(2),* rm over 0-1 -> block(2),* cm over 0-1";
    const char *swap = "8B [8,8] block(2),* rm over 0-1 -> block(2),* rm over 1,0";
    const struct {
        const char *line;
        int rank;
        int ways;
        Facts facts;
        bool stream = false;
    } rows[]{
        {turn, 0, 3, {true, true, true, true}},
        {turn, 1, 7, {true, true, true, true}},
        {turn, 0, 2, {true, false, true, true}}, // a process sends messages to itself
        {turn, 1, 6, {true, false, true, true}},
        {away, 0, 3, {false, false, true, false}},
        {away, 1, 3, {false, false, false, true}},
        {away, 0, 7, {false, false, true, false}},
        {away, 1, 7, {false, false, false, true}},
        {same, 0, 3, {true, true, false, false}},
        {same, 1, 7, {true, true, false, false}},
        {same, 0, 2, {true, false, true, true}},
        {swap, 0, 3, {false, false, true, true}},
        {swap, 1, 7, {false, false, true, true}},
        // The first process of a stream sends headers to all, itself included.
        {swap, 0, 7, {true, false, true, true}, true},
        {swap, 1, 7, {false, false, true, true}, true},
        {same, 0, 3, {true, true, true, true}, true},
        {same, 1, 3, {true, true, false, true}, true},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(fmt::format("process {} of {}, ways {}{}", row.rank, row.line, row.ways,
                                 row.stream ? ", stream" : ""));
        const TransferCase c = from_line(row.line);
        planner::PlanOptions options = c.options();
        options.self_way = row.ways & 1;
        options.direct_way = row.ways & 4;
        const planner::NodeMap one_node({0, 0});
        expect_facts(
            shape_of(planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, row.rank, one_node),
                     row.stream),
            row.facts);
    }
}

} // namespace dri::test
