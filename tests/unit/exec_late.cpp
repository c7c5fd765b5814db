// What a source reports when it waits too long, observed with an exchange whose messages are never received.
#include "exec/transfer.hpp"

#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

class UntakenExchange final : public KeptExchange {
public:
    using KeptExchange::KeptExchange;
    void post_send(size_t) override { ++posted_; }
    size_t sends_under_way() override { return posted_; }
    bool sends_done() override { return posted_ == 0; }
    std::optional<int> awaits() override { return posted_ ? std::optional(sends_[0].peer) : std::nullopt; }

private:
    size_t posted_ = 0;
};
using UntakenTransport = KeptTransport<UntakenExchange>;

constexpr int64_t buffers = 3, header_tag = 7;

// Process 0 of a transfer to process 1.
class LateSource : public testing::Test {
protected:
    void make(const plan::Plan &plan, const exec::HeaderPeers &headers) {
        exec::SourceEnd source;
        source.stream = !headers.to.empty();
        source.headers.resize(source.stream ? static_cast<size_t>(buffers) : 0);
        source.buffers.assign(static_cast<size_t>(buffers), reinterpret_cast<std::byte *>(memory_.data()));
        source.message_frames = plan.sends.empty() ? INT64_MAX : buffers;
        source.timeout = std::chrono::milliseconds(1);
        exec::Kernels kernels;
        kernels.find_isa();
        exec::KernelChooser chooser(kernels);
        const exec::StagingBudget budget{.frames = buffers};
        std::vector<exec::Flow> flows;
        flows.push_back(
            {exec::Link({.plan = std::make_shared<const plan::Plan>(plan),
                         .layout = exec::link_layout(plan, budget),
                         .headers = exec::HeaderChannel(exec::header_layout(headers), transport_, header_tag)},
                        chooser, transport_),
             std::nullopt});
        transfer_ = std::make_unique<exec::LocalTransfer>(
            "late", std::move(source), std::move(flows),
            std::shared_ptr<transport::Transport>(&transport_, [](transport::Transport *) {}));
    }
    // The message of the first frame that is not sent in time.
    std::string late_message() {
        for (int frame = 0; frame < 20; ++frame)
            try {
                transfer_->execute(exec::LocalTransfer::source_endpoint());
            } catch (const Error &error) {
                EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                return error.what();
            }
        return "all went";
    }
    static std::string held(int64_t frame, int64_t up_to) {
        return fmt::format("transfer 'late': frame {} of the source of process 0 was not sent in time: process 1 "
                           "has not taken all messages up to frame {}",
                           frame, up_to);
    }

    std::vector<int64_t> memory_ = std::vector<int64_t>(size_t{96} * 96);
    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    UntakenTransport transport_{*loopback_};
    std::unique_ptr<exec::LocalTransfer> transfer_;
};

} // namespace

TEST_F(LateSource, names_the_frame_whose_messages_occupy_the_memory) {
    const TransferCase c = from_line("8B [96,96] block(1),* rm over 0 -> *,block(1) 10 over 1");
    make(planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), 0), {});
    EXPECT_EQ(late_message(), held(buffers, 0));
    EXPECT_EQ(late_message(), held(buffers, 0)) << "again";
}

// The end of stream has memory of its own, so it does not wait.
TEST_F(LateSource, names_the_frame_whose_header_occupies_the_memory) {
    make({}, {.to = {1}, .depth = buffers});
    EXPECT_EQ(late_message(), held(buffers, 0));
    EXPECT_EQ(late_message(), held(buffers, 0)) << "again";
}

// Data, and headers with more memory: the data are the first to hold the source up.
TEST_F(LateSource, names_the_first_thing_that_holds_it_up) {
    const TransferCase c = from_line("8B [96,96] block(1),* rm over 0 -> *,block(1) 10 over 1");
    make(planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), 0),
         {.to = {1}, .depth = buffers});
    EXPECT_EQ(late_message(), held(buffers, 0));
}

} // namespace dri::test
