// The list of transfers that are moved on: who holds a transfer, and threads that change the list meanwhile.
#include "exec/running.hpp"

#include "support/forwarding_transport.hpp"
#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

namespace dri::test {

namespace {

// Transfers without data.
class RunningTransfers : public testing::Test {
protected:
    std::shared_ptr<exec::LocalTransfer> make() {
        exec::SourceEnd source;
        source.buffers = {&byte_};
        const auto plan = std::make_shared<const plan::Plan>();
        std::vector<exec::Flow> flows;
        flows.push_back({exec::Link({.plan = plan, .layout = exec::link_layout(*plan, {})}, chooser_, transport_),
                         std::nullopt});
        return std::make_shared<exec::LocalTransfer>(
            "empty", std::move(source), std::move(flows),
            std::shared_ptr<transport::Transport>(&transport_, [](transport::Transport *) {}));
    }
    void add(const std::shared_ptr<exec::LocalTransfer> &transfer) {
        running_.add(std::array{transfer}, running_.reserve_list(1));
    }

    std::byte byte_{};
    exec::Kernels kernels_;
    exec::KernelChooser chooser_{kernels_};
    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    KeptTransport<LaneExchange> transport_{*loopback_};
    exec::Running running_;
};

// On a node with more processes than cores, or not. Counts the calls that move its messages on.
class CountedProgress final : public ForwardingTransport {
public:
    CountedProgress(transport::Transport &inner, bool crowded, bool yields)
        : ForwardingTransport(inner), crowded_(crowded), yields_(yields) {}
    bool crowded() const override { return crowded_; }
    bool yields() const override { return yields_; }
    void progress() override {
        ++calls;
        if (fails)
            throw std::runtime_error("the transport fails");
    }
    int calls = 0;
    bool fails = false;

private:
    bool crowded_, yields_;
};

} // namespace

TEST_F(RunningTransfers, AreHeldUntilTheyAreRemoved) {
    EXPECT_FALSE(running_.progress() || running_.step()) << "an empty list";
    const auto first = make(), second = make();
    add(first);
    add(second);
    EXPECT_EQ(first.use_count(), 2);
    EXPECT_EQ(second.use_count(), 2);
    EXPECT_FALSE(running_.progress() || running_.step()) << "there is nothing to move";
    running_.remove(first);
    EXPECT_EQ(first.use_count(), 1);
    EXPECT_EQ(second.use_count(), 2);
    running_.remove(first); // is not in the list
    EXPECT_EQ(second.use_count(), 2);
    running_.clear();
    EXPECT_EQ(second.use_count(), 1);
    running_.remove(second);
    add(first);
    EXPECT_EQ(first.use_count(), 2);
}

// A thread that moves transfers on keeps the list that it has, and holds nobody up.
TEST_F(RunningTransfers, ChangeWhileAThreadMovesThemOn) {
    std::atomic<bool> stop = false;
    std::thread mover([&] {
        while (!stop) {
            running_.progress();
            running_.step();
            running_.poll_all();
        }
    });
    const auto stays = make();
    add(stays);
    for (int i = 0; i < 300; ++i) {
        const auto transfer = make();
        add(transfer);
        running_.remove(transfer);
    }
    stop = true;
    mover.join();
    EXPECT_EQ(stays.use_count(), 2);
}

// Only a look that gives the core away is put off.
TEST_F(RunningTransfers, AndTheTransportMoveOnTogether) {
    for (const auto &[crowded, yields] : {std::pair{false, false}, {false, true}, {true, false}}) {
        CountedProgress counted(transport_, crowded, yields);
        exec::Running running;
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            running.progress_all(counted);
        }
        EXPECT_EQ(counted.calls, 20) << crowded << yields;
    }
}

TEST_F(RunningTransfers, LeaveTheCoreToACallerThatComputes) {
    CountedProgress counted(transport_, true, true);
    const auto begin = exec::ProgressPace::Clock::now();
    for (int i = 0; i < 200; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        running_.progress_all(counted);
    }
    const auto spent = exec::ProgressPace::Clock::now() - begin;
    EXPECT_GE(counted.calls, 2) << "200 pieces of work last 10 ms at least";
    EXPECT_LE(counted.calls, 1 + spent / exec::ProgressPace::longest);
}

// Also after a call that has failed, a caller that comes back at once only waits.
TEST_F(RunningTransfers, PassOnTheTransportsFailure) {
    CountedProgress counted(transport_, true, true);
    counted.fails = true;
    EXPECT_THROW(running_.progress_all(counted), std::runtime_error);
    for (int i = 0; i < 1000 && counted.calls < 2; ++i)
        try {
            running_.progress_all(counted);
        } catch (const std::runtime_error &) {
        }
    EXPECT_EQ(counted.calls, 2);
}

} // namespace dri::test
