// A receiver leaves, and the source learns of it while it sends the last frame's message to it.
#include "exec/transfer.hpp"

#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

#include <map>

namespace dri::test {

namespace {

// The first receiver receives nothing. Once it leaves, the next check of its message reports the departure.
class PartingExchange final : public KeptExchange {
public:
    explicit PartingExchange(std::shared_ptr<const transport::ExchangeLayout> layout)
        : KeptExchange(std::move(layout)), under_way_(sends_.size()) {}
    std::byte *send_data(size_t i) override {
        if (under_way_[i])
            fail(DRI_ERR_INTERNAL, "message {} has no memory", i);
        return KeptExchange::send_data(i);
    }
    void post_send(size_t i) override {
        under_way_[i] = sends_[i].peer == parting;
        ++posted[sends_[i].peer];
    }
    size_t sends_under_way() override { return 0; }
    bool sends_done() override {
        if (leaves)
            departures_.note(parting, {.tag = 0, .of_sender = 0, .frames = 0});
        return true;
    }
    std::optional<int> awaits() override { return std::nullopt; }

    static constexpr int parting = 1;
    static inline bool leaves = false;
    static inline std::map<int, int> posted; // number of messages by receiver

private:
    std::vector<char> under_way_;
};
using PartingTransport = KeptTransport<PartingExchange>;

} // namespace

TEST(LeavingReceiver, is_left_out_of_the_frame_in_which_its_departure_arrives) {
    const TransferCase c = from_line("8B [96,96] block(1),* rm over 0 -> *,block(2) 10 over 1,2");
    const plan::Plan plan = planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), 0);
    ASSERT_EQ(plan.sends.size(), 2u);
    const auto loopback = std::move(make_loopback(1).front());
    PartingTransport transport(*loopback);
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
    exec::LocalTransfer transfer("parting", std::move(source), std::move(flows),
                                 std::shared_ptr<transport::Transport>(&transport, [](transport::Transport *) {}));
    for (int frame = 0; frame < 3; ++frame) {
        transfer.execute(exec::LocalTransfer::source_endpoint());
        PartingExchange::leaves = true;
    }
    EXPECT_EQ(PartingExchange::posted, (std::map<int, int>{{1, 1}, {2, 3}}));
}

} // namespace dri::test
