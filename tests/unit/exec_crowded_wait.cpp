// A wait where MPI gives the core to others in each call that finds nothing.
#include "exec/statistics.hpp"
#include "exec/transfer.hpp"
#include "support/forwarding_transport.hpp"
#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace dri::test {

namespace {

constexpr std::chrono::microseconds of_others{300}; // that they have the core, each time
constexpr int calls_until_sent = 4;

class YieldingTransport final : public ForwardingTransport {
public:
    YieldingTransport(transport::Transport &inner, bool counts_rests)
        : ForwardingTransport(inner), counts_rests_(counts_rests) {}
    std::unique_ptr<transport::Exchange>
    prepare(std::shared_ptr<const transport::ExchangeLayout> layout) override {
        return std::make_unique<LaneExchange>(std::move(layout));
    }
    bool crowded() const override { return true; }
    bool yields() const override { return true; }
    int64_t rests() const override { return counts_rests_ ? calls : 0; }
    void progress() override {
        std::this_thread::sleep_for(of_others);
        if (++calls == calls_until_sent)
            LaneExchange::all.back()->land();
    }
    int calls = 0;

private:
    bool counts_rests_;
};

// A source whose second frame waits until the message of the first one has left. Returns the wait of that frame.
std::chrono::nanoseconds wait_of(YieldingTransport &transport) {
    LaneExchange::all.clear();
    plan::Plan plan;
    int64_t element = 1;
    plan.sends = {sent(1, sizeof element, 0)};
    const auto shared = std::make_shared<const plan::Plan>(std::move(plan));
    exec::Kernels kernels;
    kernels.find_isa();
    exec::KernelChooser chooser(kernels);
    exec::SourceEnd source;
    source.buffers = {reinterpret_cast<std::byte *>(&element)};
    source.message_frames = 1;
    std::vector<exec::Flow> flows;
    flows.push_back({exec::Link({.plan = shared, .layout = exec::link_layout(*shared, {})}, chooser, transport),
                     std::nullopt});
    exec::LocalTransfer transfer("crowded", std::move(source), std::move(flows),
                                 std::shared_ptr<transport::Transport>(&transport, [](transport::Transport *) {}));
    LaneExchange::all.back()->free_slots = 1;
    for (int frame = 0; frame < 2; ++frame)
        transfer.execute(exec::LocalTransfer::source_endpoint());
    LaneExchange::all.back()->land();
    const auto timed = exec::timed_frames(transfer, exec::LocalTransfer::source_endpoint(), 1);
    return std::chrono::nanoseconds(timed.at(0).time.wait_ns);
}

} // namespace

// The first rest of a wait does not count.
TEST(CrowdedWait, RestsInCallsOfMpiAndCountsThem) {
    const auto loopback = make_loopback(1);
    YieldingTransport transport(*loopback[0], true);
    EXPECT_GE(wait_of(transport), (calls_until_sent - 1) * of_others);
    EXPECT_EQ(transport.calls, calls_until_sent) << "one in each rest";
}

// As if MPI had found something each time, or another thread were looking: then the wait yields itself.
TEST(CrowdedWait, GoesOnIfMpiDoesNotYield) {
    const auto loopback = make_loopback(1);
    YieldingTransport transport(*loopback[0], false);
    EXPECT_GE(wait_of(transport), (calls_until_sent - 1) * of_others);
    EXPECT_EQ(transport.calls, calls_until_sent);
}

} // namespace dri::test
