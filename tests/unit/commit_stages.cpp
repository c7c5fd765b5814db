// The stages of a commit as functions, without communication: plans of a matched transfer, sizes within limits,
// buffers, and what the bound transfer holds.
#include "commit/bind_stage.hpp"
#include "commit/memory_handles.hpp"
#include "commit/plan_stage.hpp"
#include "commit/reserve_stage.hpp"
#include "commit/size_stage.hpp"
#include "commit/sized_memory.hpp"
#include "exec/frame_header.hpp"

#include "support/forwarding_transport.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"
#include "support/random_case.hpp"
#include "support/set_up_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace dri::test {
namespace {

// A matched transfer of a case line, and the endpoints of one process.
struct MatchedCase {
    commit::MatchedTransfer matched;
    std::vector<std::shared_ptr<commit::Endpoint>> mine;
    commit::SharedPlans plans;
    std::vector<int> readable;
    transport::UserMemory user_memory;
    commit::ReadSources read; // where they lie

    MatchedCase(const std::string &line, int rank, int nbuffs = 1, int64_t source_limit = commit::no_limit,
                int64_t sink_limit = commit::no_limit, void *source_buffer = nullptr)
        : plans(rank), readable(16, 0) {
        const TransferCase c = from_line(line);
        matched = {.name = "stages",
                   .source = make_side(c, c.source),
                   .sinks = {make_side(c, c.sink)},
                   .tags = {1},
                   .drops = {false},
                   .every = {1},
                   .phase = {0},
                   .options = c.options(),
                   .nodes = std::make_shared<planner::NodeMap>(c.node_map()),
                   .rank = rank};
        add(commit::Role::source, matched.source, nbuffs, source_limit, source_buffer);
        add(commit::Role::sink, matched.sinks[0], nbuffs, sink_limit, nullptr);
    }
    commit::Planned planned_without_tiles() {
        return commit::plan_stage(matched, mine, plans, {readable, user_memory});
    }
    commit::Planned planned() { return commit::with_tiles(planned_without_tiles(), read); }
    commit::Sized sized() { return commit::size_stage(planned(), plans); }
    const commit::Endpoint &source() const { return *mine.front(); }
    const commit::Endpoint &sink() const { return *mine.back(); }
    int64_t min_workspace(const commit::Endpoint &endpoint) {
        return commit::memory_of(endpoint, commit::size_minimum(endpoint, planned(), plans)).workspace();
    }

private:
    void add(commit::Role role, const planner::Side &side, int nbuffs, int64_t limit, void *buffer) {
        if (!side.dist->group().position(matched.rank))
            return;
        commit::Declaration d{"stages", role, side.dist, side.layouts.front(), {}, {}};
        d.buffers.assign(static_cast<size_t>(nbuffs), buffer);
        d.attributes.workspace_limit = limit;
        mine.push_back(std::make_shared<commit::Endpoint>(std::move(d), matched.rank));
    }
};

const char *const turn_by_messages = "8B [64,64] block(4),* rm over 0-3 -> *,block(4) rm over 0-3 no-self";

// Adds up the memory that the transport reserves for exchanges.
class MeteredTransport final : public dri::test::ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    int64_t bytes = 0;

    std::unique_ptr<transport::Exchange>
    prepare(std::shared_ptr<const transport::ExchangeLayout> layout) override {
        auto exchange = ForwardingTransport::prepare(std::move(layout));
        bytes += exchange->memory_bytes();
        return exchange;
    }
};

// What a process binds with.
class Binding {
public:
    explicit Binding(std::shared_ptr<transport::Transport> transport) : transport_(std::move(transport)) {
        kernels_.find_isa();
    }
    commit::Bound bind(commit::Reserved reserved, const commit::SourceHandles &handles) {
        exec::KernelChooser chooser(kernels_);
        return commit::bind_stage(std::move(reserved), handles, {chooser, pool_, transport_, opened_});
    }

private:
    std::shared_ptr<transport::Transport> transport_;
    exec::Kernels kernels_;
    exec::WorkerPool pool_;
    std::shared_ptr<transport::OpenedMemory> opened_ = std::make_shared<transport::OpenedMemory>();
};

// Rows become columns that lie one after the other, so the rows of the other process are read in tiles.
const char *const turn_by_tiles = "8B [64,2048] block,* rm over 0-1 -> *,block cm over 0-1 direct nodes=0,0";

// The process pulls from the other one, whose buffers it reads where they lie.
struct CaseOfTiles : MatchedCase {
    explicit CaseOfTiles(int rank, int64_t sink_limit = commit::no_limit)
        : MatchedCase(turn_by_tiles, rank, 1, commit::no_limit, sink_limit) {
        read = {{1 - rank, 1}};
    }
};

} // namespace

TEST(Stages, AProcessPlansTheSidesThatItIsIn) {
    const char *const apart = "8B [64,64] block(2),* rm over 0-1 -> *,block(2) rm over 1-2";
    for (const int rank : {0, 1, 2, 3}) {
        MatchedCase c(apart, rank);
        const commit::Planned planned = c.planned();
        EXPECT_EQ(planned.source_endpoint != nullptr, rank < 2) << rank;
        ASSERT_EQ(planned.flows.size(), rank < 3 ? 1u : 0u) << rank;
        if (!planned.flows.empty()) {
            EXPECT_EQ(planned.flows[0].endpoint != nullptr, rank > 0) << rank;
            EXPECT_EQ(planned.flows[0].plan->sends.empty(), rank == 2) << rank;
            EXPECT_EQ(planned.flows[0].plan->receives.empty(), rank == 0) << rank;
        }
    }
}

TEST(Stages, OtherLengthsOfMessagesShareTheEndpoints) {
    MatchedCase c(turn_by_messages, 2);
    const commit::Planned planned = c.planned();
    const commit::Planned shorter = commit::with_halvings(planned, 2, c.plans);
    EXPECT_EQ(shorter.halvings, 2);
    EXPECT_EQ(shorter.flows[0].endpoint, planned.flows[0].endpoint);
    EXPECT_NE(shorter.flows[0].plan, planned.flows[0].plan);
    EXPECT_EQ(commit::with_halvings(shorter, 0, c.plans).flows[0].plan, planned.flows[0].plan)
        << "plans are shared";
    EXPECT_EQ(commit::without_plans(planned).flows[0].plan, nullptr);
}

TEST(Stages, SizesAreWithinTheLimitOfTheSource) {
    MatchedCase free(turn_by_messages, 1, 3);
    const int64_t max_bytes = commit::source_memory(free.sized()).workspace(),
                  min_bytes = free.min_workspace(free.source());
    ASSERT_LT(min_bytes, max_bytes);
    int shorter = 0;
    for (int64_t limit = min_bytes - 1; limit <= max_bytes; limit += 64) {
        MatchedCase limited(turn_by_messages, 1, 3, limit);
        if (limit < min_bytes) {
            EXPECT_EQ(code_of([&] { limited.sized(); }), DRI_ERR_LIMIT);
            continue;
        }
        const commit::Sized sized = limited.sized();
        EXPECT_LE(commit::source_memory(sized).workspace(), limit);
        shorter += sized.planned.halvings > 0;
    }
    EXPECT_GT(shorter, 0);
    MatchedCase enough(turn_by_messages, 1, 3, max_bytes);
    EXPECT_EQ(commit::source_memory(enough.sized()).workspace(), max_bytes);
}

TEST(Stages, SizesAreWithinTheLimitOfTheSink) {
    MatchedCase free(turn_by_messages, 1);
    const int64_t max_bytes = commit::sink_memory(free.sized(), 0).workspace(),
                  min_bytes = free.min_workspace(free.sink());
    ASSERT_LT(min_bytes, max_bytes);
    for (const int64_t limit : {min_bytes - 1, min_bytes, max_bytes - 1, max_bytes}) {
        MatchedCase limited(turn_by_messages, 1, 1, commit::no_limit, limit);
        if (limit < min_bytes) {
            EXPECT_EQ(code_of([&] { limited.sized(); }), DRI_ERR_LIMIT);
            continue;
        }
        const commit::Sized sized = limited.sized();
        EXPECT_LE(commit::sink_memory(sized, 0).workspace(), limit);
        EXPECT_EQ(sized.planned.halvings > 0, limit < max_bytes);
    }
}

TEST(Stages, BuffersHoldWhatTheirLayoutsSay) {
    for (const int nbuffs : {1, 3}) {
        MatchedCase c(turn_by_messages, 3, nbuffs);
        const commit::Sized sized = c.sized();
        const int64_t source_bytes = commit::source_memory(sized).buffers,
                      sink_bytes = commit::sink_memory(sized, 0).buffers;
        EXPECT_EQ(source_bytes, nbuffs * 64 * 16 * 8);
        const commit::Reserved reserved = commit::reserve_stage(sized, c.user_memory);
        ASSERT_TRUE(reserved.source && reserved.sinks.at(0));
        const auto held = [](const exec::EndpointState &state) {
            int64_t bytes = 0;
            for (const AlignedBuffer &buffer : *state.owned)
                bytes += buffer.bytes();
            return bytes;
        };
        EXPECT_EQ(held(*reserved.source), source_bytes);
        EXPECT_EQ(held(*reserved.sinks[0]), sink_bytes);
    }
}

// The memory of messages is counted by the transport that reserves it.
TEST(Stages, TheBoundTransferHoldsWhatIsTold) {
    for (const int rank : {0, 1, 3})
        for (const bool stream : {false, true})
            for (const bool drops : {false, true})
                for (const int nbuffs : {1, 3}) {
                    if (drops && !stream)
                        continue;
                    MatchedCase c(turn_by_messages, rank, nbuffs);
                    c.matched.stream = stream;
                    c.matched.drops = {drops};
                    const commit::Sized sized = c.sized();
                    const int64_t source_bytes = commit::source_memory(sized).workspace(),
                                  sink_bytes = commit::sink_memory(sized, 0).workspace();
                    commit::Reserved reserved = commit::reserve_stage(sized, c.user_memory);
                    const auto headers =
                        std::ssize(reserved.source->headers) + std::ssize(reserved.sinks[0]->headers);
                    EXPECT_EQ(headers, !stream ? 0 : rank == 0 ? 2 * nbuffs : nbuffs);
                    const auto loopback = make_loopback(4);
                    const auto metered = std::make_shared<MeteredTransport>(*loopback[static_cast<size_t>(rank)]);
                    const std::shared_ptr<transport::Transport> transport = metered;
                    Binding binding(transport);
                    const commit::Bound bound = binding.bind(std::move(reserved), {});
                    EXPECT_EQ(metered->bytes + headers * int64_t{sizeof(exec::FrameHeader)},
                              source_bytes + sink_bytes);
                    EXPECT_EQ(bound.transfer->source().memory.workspace(), source_bytes);
                    EXPECT_EQ(bound.transfer->sink(0).memory.workspace(), sink_bytes);
                    EXPECT_EQ(bound.members.size(), 2u);
                }
}

TEST(Stages, TilesArePartOfTheSizes) {
    CaseOfTiles free(1);
    const commit::Sized sized = free.sized();
    const int64_t told = commit::sink_memory(sized, 0).tiles;
    EXPECT_GT(told, 0);
    EXPECT_EQ(commit::sink_memory(sized, 0).workspace(), told) << "nothing is sent";
    EXPECT_EQ(commit::memory_of(free.sink(), commit::size_minimum(free.sink(), free.planned(), free.plans)).tiles,
              told);
    for (const int halvings : {1, 2}) {
        const commit::Planned shorter = commit::with_halvings(free.planned_without_tiles(), halvings, free.plans);
        EXPECT_EQ(commit::with_tiles(shorter, free.read).flows[0].tile_bytes, told)
            << "computed for these lengths";
    }
    CaseOfTiles enough(1, told), little(1, told - 1);
    EXPECT_EQ(commit::sink_memory(enough.sized(), 0).tiles, told);
    EXPECT_EQ(code_of([&] { little.sized(); }), DRI_ERR_LIMIT);
    CaseOfTiles shared(1);
    shared.read = {};
    EXPECT_EQ(commit::sink_memory(shared.sized(), 0).tiles, 0) << "the other process shares its buffers";
}

TEST(Stages, TilesAreToldOnceAndThenTaken) {
    CaseOfTiles c(1);
    EXPECT_EQ(code_of([&] { commit::with_tiles(c.planned(), c.read); }), DRI_ERR_INTERNAL);
    const commit::Sized untold = commit::size_stage(c.planned_without_tiles(), c.plans);
    EXPECT_EQ(code_of([&] { commit::sink_memory(untold, 0); }), DRI_ERR_INTERNAL);
}

// Both processes are this one. The handles say that the source's buffer is read where it lies.
TEST(Stages, TheBoundSinkHasTheTilesThatAreTold) {
    std::vector<std::byte> rows(size_t{32} * 2048 * 8);
    MatchedCase from(turn_by_tiles, 0, 1, commit::no_limit, commit::no_limit, rows.data());
    const commit::Reserved offered = commit::reserve_stage(from.sized(), from.user_memory);
    auto parcels = commit::offer_source_handles({&offered, 1});
    ASSERT_EQ(parcels.size(), 1u);
    EXPECT_EQ(std::exchange(parcels[0].rank, 0), 1) << "from here on the rank of its sender";
    const commit::SourceHandles handles = commit::read_source_handles(parcels);
    CaseOfTiles to(1);
    EXPECT_EQ(commit::read_mode_of(handles), to.read);
    const auto loopback = make_loopback(2);
    Binding binding(std::make_shared<ForwardingTransport>(*loopback[1]));
    commit::Reserved reserved = commit::reserve_stage(to.sized(), to.user_memory);
    const int64_t told = commit::sink_memory(reserved.sized, 0).tiles;
    const commit::Bound bound = binding.bind(std::move(reserved), handles);
    EXPECT_EQ(bound.transfer->sink(0).memory.tiles, told) << "and no copy needs more: binding would have failed";

    CaseOfTiles late(1);
    const commit::Sized untold = commit::size_stage(late.planned_without_tiles(), late.plans);
    EXPECT_EQ(code_of([&] { binding.bind(commit::reserve_stage(untold, late.user_memory), handles); }),
              DRI_ERR_INTERNAL);
    CaseOfTiles wrong(1);
    wrong.read = {};
    EXPECT_EQ(code_of([&] { binding.bind(commit::reserve_stage(wrong.sized(), wrong.user_memory), handles); }),
              DRI_ERR_INTERNAL)
        << "the sink was told that it reads nothing where it lies";
}

TEST(Stages, InPlaceBothEndpointsHaveOneBuffer) {
    MatchedCase c(turn_by_messages, 0, 2);
    c.matched.options.in_place = true;
    EXPECT_EQ(commit::max_halvings(c.planned()), 0);
    const commit::Sized sized = c.sized();
    EXPECT_EQ(commit::sink_memory(sized, 0).buffers, 0);
    EXPECT_EQ(commit::source_memory(sized).buffers, 2 * 64 * 16 * 8);
    const commit::Reserved reserved = commit::reserve_stage(sized, c.user_memory);
    ASSERT_TRUE(reserved.source && reserved.sinks.at(0));
    EXPECT_EQ(reserved.source->buffers, reserved.sinks[0]->buffers);
    EXPECT_EQ(reserved.source->buffers.size(), 2u);
    const int64_t min_bytes = c.min_workspace(c.source());
    EXPECT_GT(min_bytes, 0);
    for (const int64_t limit : {min_bytes - 1, min_bytes}) {
        MatchedCase tight(turn_by_messages, 0, 2, limit);
        tight.matched.options.in_place = true;
        EXPECT_EQ(code_of([&] { tight.sized(); }), limit < min_bytes ? DRI_ERR_LIMIT : DRI_SUCCESS);
    }
}

} // namespace dri::test
