// A source in memory that its user keeps is destroyed while another process has not read its frame.
#include "exec/transfer.hpp"

#include "support/loopback_transport.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

class UnreadSource : public testing::Test {
protected:
    UnreadSource() {
        transport_->presence().set_reports(
            {.after = std::chrono::milliseconds(1),
             .write = [this](const std::string &text) { reports_.push_back(text); }});
        plan::Plan plan;
        plan.pullers = {{.peer = 1, .bytes = 64}};
        exec::SourceEnd source;
        source.shared = std::make_shared<transport::SharedSource>(1, 1, 64, 8);
        source.buffers = {source.shared->buffer(0)};
        source.keepers = keeper_;
        exec::Kernels kernels;
        kernels.find_isa();
        exec::KernelChooser chooser(kernels);
        std::vector<exec::Flow> flows;
        flows.push_back({exec::Link({.plan = std::make_shared<const plan::Plan>(plan),
                                     .layout = exec::link_layout(plan, {}),
                                     .direct = {.source = source.shared}},
                                    chooser, *transport_),
                         std::nullopt});
        transfer_ =
            std::make_unique<exec::LocalTransfer>("unread", std::move(source), std::move(flows), transport_);
        transfer_->insert(nullptr);
    }
    std::string message_of_destroying() {
        try {
            transfer_->destroy_source(transport::Clock::now() + std::chrono::milliseconds(60));
        } catch (const Error &error) {
            EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
            return error.what();
        }
        return "it is destroyed";
    }

    std::shared_ptr<const char> keeper_ = std::make_shared<const char>();
    std::vector<std::string> reports_;
    std::shared_ptr<transport::Transport> transport_ = std::move(make_loopback(1).front());
    std::unique_ptr<exec::LocalTransfer> transfer_;
};

constexpr const char *late =
    "transfer 'unread': frames of the source are in buffers of the user, and process 1 has "
    "not taken all 1 of them in time";
constexpr const char *waits =
    " s in DRI_xfer_destroy: transfer 'unread': the source of process 0 waits until process "
    "1 has taken all 1 frames";

} // namespace

TEST_F(UnreadSource, waits_for_its_reader_and_reports_it) {
    EXPECT_EQ(message_of_destroying(), late);
    ASSERT_EQ(reports_.size(), 1u);
    EXPECT_NE(reports_[0].find(waits), std::string::npos) << reports_[0];
}

// It takes no steps, but waits in the same way.
TEST_F(UnreadSource, waits_and_reports_if_the_transfer_is_broken) {
    transfer_->break_off();
    EXPECT_EQ(message_of_destroying(), late);
    ASSERT_EQ(reports_.size(), 1u);
    EXPECT_NE(reports_[0].find(waits), std::string::npos) << reports_[0];
}

TEST_F(UnreadSource, is_abandoned_after_the_time_without_a_failure) {
    transfer_->destroy_source(transport::Clock::now() + std::chrono::milliseconds(60), exec::Parting::takes_back);
    EXPECT_TRUE(transfer_->ledgers().source->left());
}

} // namespace dri::test
