// What a source reports to its sinks when it is destroyed broken, while the messages of a frame wait for memory.
#include "exec/transfer.hpp"

#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"
#include "support/oracle_run.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

constexpr int watched = 1, other = 2; // processes that receive from the source

struct Announced {
    int64_t frames = -1;
    transport::Leave how = transport::Leave::early;
    friend bool operator==(const Announced &, const Announced &) = default;
    friend std::ostream &operator<<(std::ostream &out, const Announced &announced) {
        return out << announced.frames
                   << (announced.how == transport::Leave::complete ? " frames and the end" : " frames");
    }
};

// What happens to the messages, and what they report.
struct Course {
    bool full = false;          // the watched process has no memory for further data,
    bool headers_full = false;  // or for headers
    bool fails = false;         // data cannot be sent to the other process
    std::optional<int64_t> end; // where the stream ended for the other process
    Announced data, headers;    // what the watched process was informed of
};

class AnnouncedExchange final : public KeptExchange {
public:
    using KeptExchange::KeptExchange;
    void post_send(size_t i) override {
        if (course.fails && is_data() && sends_[i].peer == other)
            fail(DRI_ERR_TRANSPORT, "it cannot be sent");
    }
    size_t sends_under_way() override { return 0; }
    bool sends_done() override {
        if (course.end && is_data())
            departures_.note(
                other, {.tag = 0, .of_sender = 0, .frames = *course.end, .leave = transport::Leave::complete});
        return !is_for_watched() || !(is_data() ? course.full : course.headers_full);
    }
    std::optional<int> awaits() override { return std::nullopt; }
    void leave(int64_t frames, transport::Leave how) override {
        if (is_for_watched())
            (is_data() ? course.data : course.headers) = {frames, how};
    }

    static inline Course course;

private:
    bool is_for_watched() const { return !sends_.empty() && sends_[0].peer == watched; }
    bool is_data() const { return sends_[0].bytes > int64_t{sizeof(exec::FrameHeader)}; }
};
using AnnouncedTransport = KeptTransport<AnnouncedExchange>;

class BrokenSource : public testing::Test {
protected:
    BrokenSource() { course() = {}; }

    static Course &course() { return AnnouncedExchange::course; }
    static plan::Plan plan_to(const std::string &sinks) {
        const TransferCase c = from_line("8B [96,96] block(1),* rm over 0 -> *," + sinks);
        return planner::make_plan(make_side(c, c.source), make_side(c, c.sink), c.options(), 0);
    }
    void add_flow(const plan::Plan &plan, const exec::HeaderPeers &headers, const exec::DropPeers &verdicts) {
        exec::Kernels kernels;
        kernels.find_isa();
        exec::KernelChooser chooser(kernels);
        flows_.push_back({exec::Link({.plan = std::make_shared<const plan::Plan>(plan),
                                      .layout = exec::link_layout(plan, {}),
                                      .headers = exec::HeaderChannel(exec::header_layout(headers), transport_, 1)},
                                     chooser, transport_),
                          std::nullopt, exec::DropControl(exec::drop_layout(verdicts), transport_, 2)});
    }
    void make() {
        exec::SourceEnd source;
        source.stream = source.has_thread = true; // calls do not wait for messages
        source.headers.resize(static_cast<size_t>(buffers));
        source.buffers.assign(static_cast<size_t>(buffers), reinterpret_cast<std::byte *>(memory_.data()));
        transfer_ = std::make_unique<exec::LocalTransfer>(
            "broken", std::move(source), std::move(flows_),
            std::shared_ptr<transport::Transport>(&transport_, [](transport::Transport *) {}));
    }
    void hand_over(bool gets_next = true) {
        transfer_->insert(nullptr);
        transfer_->progress();
        if (gets_next)
            transfer_->acquire();
    }
    template <class F> static DRI_Code code_of(F call) {
        try {
            call();
        } catch (const Error &error) {
            return error.code();
        }
        return DRI_SUCCESS;
    }

    static constexpr int64_t buffers = 3;
    std::vector<int64_t> memory_ = std::vector<int64_t>(size_t{96} * 96);
    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    AnnouncedTransport transport_{*loopback_};
    std::vector<exec::Flow> flows_;
    std::unique_ptr<exec::LocalTransfer> transfer_;
};

} // namespace

// If the source reported more frames, the sink would wait for them forever.
TEST_F(BrokenSource, reports_posted_frames_to_a_dropping_sink) {
    exec::DropPeers verdicts;
    verdicts.drops = verdicts.in_source = true;
    verdicts.first = 0;
    verdicts.receivers = {watched};
    for (const bool full : {true, false})
        for (const bool headers_full : {full, false}) {
            course() = {};
            add_flow(plan_to("block(1) 10 over 1"), {.to = {watched}, .first = 0, .depth = 2}, verdicts);
            add_flow(plan_to("block(1) 10 over 2"), {.to = {other}, .first = 0, .depth = buffers}, {});
            make();
            hand_over();
            course().full = full;
            course().headers_full = headers_full;
            course().fails = true;
            EXPECT_EQ(code_of([&] { hand_over(); }), DRI_ERR_TRANSPORT);
            transfer_->destroy_source(transport::Clock::now());
            const Announced posted{full ? 1 : 2};
            EXPECT_EQ(course().data, posted) << full << headers_full;
            EXPECT_EQ(course().headers, posted) << full << headers_full;
        }
}

// This process is not the first one. It knows from a sink where the first one closed the stream.
TEST_F(BrokenSource, ends_the_stream_only_if_all_frames_are_posted) {
    for (const int64_t end : {1, 2}) {
        course() = {};
        add_flow(plan_to("block(2) 10 over 1,2"), {.to = {}, .first = 7}, {});
        make();
        hand_over();
        course().full = true;
        course().end = end;
        for (int64_t f = 1; f < end; ++f)
            hand_over();
        hand_over(false);
        EXPECT_EQ(code_of([&] { transfer_->close_source(); }), DRI_ERR_MISMATCH);
        transfer_->destroy_source(transport::Clock::now());
        EXPECT_EQ(course().data, (Announced{1, transport::complete_if(end == 1)}));
    }
}

} // namespace dri::test
