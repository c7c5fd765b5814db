// The list of transfers that are moved on: who holds a transfer, and threads that change the list meanwhile.
#include "exec/running.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

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

} // namespace dri::test
