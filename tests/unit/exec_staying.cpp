// A source stays in its call while long messages leave, or many, and moves meanwhile what other processes may wait
// for.
#include "exec/transfer.hpp"

#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace dri::test {

namespace {

// Whether other transfers were moved since a message was posted.
bool moved_others = false;

// A message is long under way, until other transfers are moved.
class HeldExchange final : public KeptExchange {
public:
    using KeptExchange::KeptExchange;
    void post_send(size_t) override {
        if (!posted_)
            std::this_thread::sleep_for(std::chrono::milliseconds(100)); // so long may the source stay
        moved_others = false;
        posted_ = true;
    }
    size_t sends_under_way() override { return sends_done() ? 0 : 1; }
    bool sends_done() override { return !posted_ || moved_others; }
    std::optional<int> awaits() override { return std::nullopt; }

private:
    bool posted_ = false;
};

class HeldTransport final : public ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    bool crowded() const override { return true; } // a wait has time for other work at once
    bool meanwhile() override {
        moved_others = true;
        return false;
    }
    std::unique_ptr<transport::Exchange>
    prepare(std::shared_ptr<const transport::ExchangeLayout> layout) override {
        return std::make_unique<HeldExchange>(std::move(layout));
    }
};

// Executes a frame of the case's source. Returns whether that moved other transfers.
bool stays(const std::string &line) {
    const TransferCase c = from_line(line);
    const plan::Plan plan = planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), 0);
    const auto loopback = std::move(make_loopback(1).front());
    HeldTransport transport(*loopback);
    std::vector<int64_t> memory(size_t{96} * 96);
    exec::SourceEnd source;
    source.buffers = {reinterpret_cast<std::byte *>(memory.data())};
    exec::Kernels kernels;
    kernels.find_isa();
    exec::KernelChooser chooser(kernels);
    std::vector<exec::Flow> flows;
    flows.push_back(
        {exec::Link({.plan = std::make_shared<const plan::Plan>(plan), .layout = exec::link_layout(plan, {})},
                    chooser, transport),
         std::nullopt});
    exec::LocalTransfer transfer("staying", std::move(source), std::move(flows),
                                 std::shared_ptr<transport::Transport>(&transport, [](transport::Transport *) {}));
    transfer.execute(exec::LocalTransfer::source_endpoint());
    return moved_others;
}

} // namespace

TEST(StayingSource, moves_other_transfers) {
    EXPECT_TRUE(stays("8B [96,96] block(1),* rm over 0 -> *,block(1) 10 over 1")) << "a long message";
    EXPECT_TRUE(stays("8B [96,96] block(1),* rm over 0 -> *,block(40) 10 over 1-40")) << "40 short ones";
    EXPECT_FALSE(stays("8B [96,96] block(1),* rm over 0 -> *,block(20) 10 over 1-20")) << "20 short ones";
}

} // namespace dri::test
