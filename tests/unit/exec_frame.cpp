// The order of the steps of a frame, observed by an exchange that controls when messages are sent and received.
#include "exec/transfer.hpp"

#include "support/forwarding_transport.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <numeric>
#include <set>

namespace dri::test {

namespace {

// What the test allows to happen, and what it has observed.
struct Script {
    std::vector<std::vector<std::byte>> contents; // per receive
    std::deque<size_t> arrivals;                  // not yet received, in order
    std::function<bool()> may_arrive = [] { return true; };
    std::function<void()> on_look = [] {};
    size_t posted = 0; // messages, none of which is received before the frame ends
    std::vector<size_t> returned, released;
};

class ScriptedExchange final : public transport::Exchange {
public:
    ScriptedExchange(Script &script, std::shared_ptr<const transport::ExchangeLayout> layout)
        : script_(script), layout_(std::move(layout)), departures_(*layout_),
          open_(layout_->spec.receives.size()) {
        for (const transport::MessageSpec &slot : layout_->spec.sends)
            out_.emplace_back(static_cast<size_t>(slot.bytes));
    }
    int64_t memory_bytes() const override { return 0; }
    void set_origin(std::byte *) override {}
    std::byte *send_data(size_t i) override { return out_[i].data(); }
    void post_send(size_t) override { ++script_.posted; }
    size_t sends_under_way() override { return script_.posted; }
    bool sends_done() override { return script_.posted == 0 || script_.posted == out_.size(); }
    std::optional<int> awaits() override { return std::nullopt; }
    void post_receives() override {}
    bool receives_open() const override { return open_ > 0; }
    int64_t try_receive() override {
        script_.on_look();
        return script_.may_arrive() ? next() : -1;
    }
    std::byte *receive_data(size_t i) override { return script_.contents[i].data(); }
    void release(size_t i) override { script_.released.push_back(i); }
    const transport::Departures &departures() const override { return departures_; }
    void poll_departures(transport::Look) override {}
    void leave(int64_t, transport::Leave) override {}

private:
    int64_t next() {
        EXPECT_EQ(script_.returned, script_.released) << "a message waits while another one is requested";
        if (script_.arrivals.empty())
            return -1;
        const size_t i = script_.arrivals.front();
        script_.arrivals.pop_front();
        script_.returned.push_back(i);
        --open_;
        return static_cast<int64_t>(i);
    }

    Script &script_;
    const std::shared_ptr<const transport::ExchangeLayout> layout_;
    std::vector<std::vector<std::byte>> out_;
    transport::Departures departures_;
    size_t open_;
};

class ScriptedTransport final : public ForwardingTransport {
public:
    ScriptedTransport(transport::Transport &inner, Script &script) : ForwardingTransport(inner), script_(script) {}
    std::unique_ptr<transport::Exchange>
    prepare(std::shared_ptr<const transport::ExchangeLayout> layout) override {
        return std::make_unique<ScriptedExchange>(script_, std::move(layout));
    }

private:
    Script &script_;
};

constexpr int64_t n = 96, processes = 3, rows = n / processes;

// Process 0 of a corner turn. The other two processes exist only as plans.
class FrameSteps : public testing::Test {
protected:
    FrameSteps() {
        const TransferCase c = from_line("8B [96,96] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2 chunk=512");
        const planner::Side from = make_side(c, c.source), to = make_side(c, c.sink);
        const auto plan = std::make_shared<const plan::Plan>(planner::make_plan(from, to, c.options(), 0));
        own_pieces_ = plan->self.size();
        sends_ = plan->sends.size();
        std::vector<std::vector<int64_t>> sources;
        for (int64_t p = 0; p < processes; ++p) {
            sources.emplace_back(static_cast<size_t>(rows * n));
            std::iota(sources.back().begin(), sources.back().end(), p * rows * n + 1);
        }
        for (int peer : {2, 1})
            for (const plan::Message &m : planner::make_plan(from, to, c.options(), peer).sends)
                if (m.peer == 0) {
                    std::vector<std::byte> content(static_cast<size_t>(m.bytes));
                    for (const plan::StridedCopy &copy : m.copies)
                        copy_plainly(copy, std::as_bytes(std::span(sources[static_cast<size_t>(peer)])).data(),
                                     content.data());
                    script_.contents.push_back(std::move(content));
                }
        EXPECT_EQ(script_.contents.size(), plan->receives.size());
        EXPECT_EQ(plan->receives.at(0).peer, 2);
        source_ = sources[0];
        script_.arrivals.resize(script_.contents.size());
        std::iota(script_.arrivals.begin(), script_.arrivals.end(), size_t{0});
        exec::SourceEnd source;
        exec::SinkEnd sink;
        source.buffers = {reinterpret_cast<std::byte *>(source_.data())};
        sink.buffers = {reinterpret_cast<std::byte *>(sink_.data())};
        std::vector<exec::Flow> flows;
        exec::Kernels kernels;
        kernels.find_isa();
        exec::KernelChooser chooser(kernels);
        flows.push_back({exec::Link({.plan = plan, .layout = exec::link_layout(*plan, {})}, chooser, transport_),
                         std::move(sink)});
        transfer_ = std::make_unique<exec::LocalTransfer>(
            "turn", std::move(source), std::move(flows),
            std::shared_ptr<transport::Transport>(&transport_, [](transport::Transport *) {}));
    }

    // The number of elements of the own part, or of a peer's messages, that are in their final position.
    int64_t moved_from(int64_t process) const {
        int64_t moved = 0;
        for (int64_t column = 0; column < rows; ++column)
            for (int64_t row = process * rows; row < (process + 1) * rows; ++row)
                moved += sink_[static_cast<size_t>(column * n + row)] == row * n + column + 1;
        return moved;
    }

    Script script_;
    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    ScriptedTransport transport_{*loopback_, script_};
    std::vector<int64_t> source_, sink_ = std::vector<int64_t>(rows * n);
    size_t own_pieces_ = 0, sends_ = 0;
    std::unique_ptr<exec::LocalTransfer> transfer_;
};

} // namespace

// No message arrives, and none is received by a peer, before the own part is complete. A process that waited for a
// message before that would never return.
TEST_F(FrameSteps, the_own_part_is_copied_while_messages_travel) {
    ASSERT_GT(own_pieces_, 3u);
    std::set<int64_t> seen;
    size_t posted_at_first = 0, posted_at_last = 0;
    script_.may_arrive = [&] { return moved_from(0) == rows * rows; };
    script_.on_look = [&] {
        const int64_t moved = moved_from(0);
        seen.insert(moved);
        if (posted_at_first == 0)
            posted_at_first = script_.posted;
        if (moved < rows * rows)
            posted_at_last = script_.posted;
    };
    transfer_->execute(transfer_->all_endpoints());
    EXPECT_EQ(seen.size(), own_pieces_ + 1) << "messages are polled between its pieces";
    EXPECT_EQ(posted_at_first, 3u) << "a few short messages are under way before anything else is done";
    EXPECT_EQ(posted_at_last, posted_at_first);
    EXPECT_LT(posted_at_last, sends_) << "messages that are not yet received can wait";
    EXPECT_EQ(script_.posted, sends_);
    for (int64_t process = 0; process < processes; ++process)
        EXPECT_EQ(moved_from(process), rows * rows) << process;
}

TEST_F(FrameSteps, messages_are_unpacked_in_the_order_of_their_arrival) {
    // Messages alternate between the end and the start of the list of receives.
    std::deque<size_t> order;
    for (size_t i = 0; i < script_.arrivals.size() / 2; ++i) {
        order.push_back(script_.arrivals.size() - 1 - i);
        order.push_back(i);
    }
    script_.arrivals = order;
    transfer_->execute(transfer_->all_endpoints());
    EXPECT_EQ(script_.released, std::vector<size_t>(order.begin(), order.end()));
    for (int64_t process = 0; process < processes; ++process)
        EXPECT_EQ(moved_from(process), rows * rows) << process;
}

// A process that is late finds the frames of the others, and unpacks them before it copies its own part.
TEST_F(FrameSteps, arrived_messages_are_unpacked_before_the_own_part) {
    bool early = true;
    script_.on_look = [&] { early = early && (!script_.returned.empty() || moved_from(0) == 0); };
    script_.may_arrive = [&] { return script_.posted > 0; };
    transfer_->execute(transfer_->all_endpoints());
    EXPECT_TRUE(early);
    EXPECT_EQ(script_.released.size(), script_.contents.size());
}

} // namespace dri::test
