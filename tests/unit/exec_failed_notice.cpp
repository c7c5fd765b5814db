// A notice to other processes that fails is not taken for sent: it is sent when the endpoint is destroyed.
#include "exec/drop_control.hpp"
#include "exec/message_lane.hpp"
#include "kernel/chooser.hpp"
#include "kernel/kernel.hpp"
#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"

#include <gtest/gtest.h>

#include <new>
#include <utility>

namespace dri::test {

namespace {

struct Sent {
    int64_t frames = 0;
    transport::Leave how = transport::Leave::early;
    friend bool operator==(const Sent &, const Sent &) = default;
};

// The first notice finds no memory.
class ForgetfulExchange final : public KeptExchange {
public:
    using KeptExchange::KeptExchange;
    void post_send(size_t) override {}
    size_t sends_under_way() override { return 0; }
    bool sends_done() override { return true; }
    std::optional<int> awaits() override { return std::nullopt; }
    void leave(int64_t frames, transport::Leave how) override {
        if (std::exchange(fails, false))
            throw std::bad_alloc();
        sent.push_back({frames, how});
    }

    static inline bool fails = false;
    static inline std::vector<Sent> sent;
};

class FailedNotice : public testing::Test {
protected:
    FailedNotice() {
        ForgetfulExchange::fails = true;
        ForgetfulExchange::sent.clear();
    }

    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    KeptTransport<ForgetfulExchange> transport_{*loopback_};
};

} // namespace

TEST_F(FailedNotice, of_a_sink_at_the_end_of_a_stream) {
    plan::Plan plan;
    plan.receives = {{1, 2, {{2, 0, 0, {}, {}, {}}}, 0}};
    const auto shared = std::make_shared<const plan::Plan>(plan);
    kernel::Wisdom wisdom;
    kernel::Chooser chooser(kernel::best_isa(), wisdom);
    const exec::LinkContext context{shared, {}, {}, chooser, transport_};
    exec::ReceiveLane lane(context, exec::receive_layout(*shared, {}));
    EXPECT_THROW(lane.end(3), std::bad_alloc);
    lane.leave(3);
    EXPECT_EQ(ForgetfulExchange::sent, (std::vector<Sent>{{3, transport::Leave::early}}));
}

TEST_F(FailedNotice, of_the_process_that_decides_on_frames) {
    exec::DropPeers peers;
    peers.drops = peers.in_source = true;
    peers.first = 0;
    peers.receivers = {2};
    peers.others = {1};
    exec::DropControl control(exec::drop_layout(peers), transport_, 7);
    flow::DropLedger ledger(true);
    ledger.begin(true);
    EXPECT_THROW(control.decide(ledger, {}), std::bad_alloc);
    control.leave_source(ledger, {});
    ASSERT_FALSE(ForgetfulExchange::sent.empty());
    EXPECT_EQ(ForgetfulExchange::sent.front(), (Sent{0, transport::Leave::complete}));
}

} // namespace dri::test
