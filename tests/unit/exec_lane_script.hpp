// What tests of lanes share: an exchange that does what the test says, and plans of a few bytes.
#pragma once

#include "exec/lane_layout.hpp"
#include "exec/link_context.hpp"
#include "kernel/chooser.hpp"
#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "support/kept_exchange.hpp"
#include "support/loopback_transport.hpp"

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dri::test {

class LaneExchange final : public KeptExchange {
public:
    explicit LaneExchange(std::shared_ptr<const transport::ExchangeLayout> layout)
        : KeptExchange(std::move(layout)), contents(layout_->spec.receives.size()) {
        for (size_t i = 0; i < contents.size(); ++i)
            contents[i].resize(static_cast<size_t>(layout_->spec.receives[i].bytes));
        all.push_back(this);
    }
    void set_origin(std::byte *from) override { origin = from; }
    std::byte *send_data(size_t i) override { return free_slots == 0 ? nullptr : KeptExchange::send_data(i); }
    void post_send(size_t i) override {
        posted.push_back(i);
        ++under_way;
        staged += !transport::is_outside(layout_->spec.sends_at, i);
        --free_slots;
    }
    size_t sends_under_way() override { return staged; }
    bool sends_done() override { return under_way == 0; }
    std::optional<int> awaits() override {
        return under_way ? std::optional(sends_[posted.back()].peer) : std::nullopt;
    }
    void post_receives() override { open = contents.size(); }
    bool receives_open() const override { return open > 0; }
    int64_t try_receive() override {
        if (arrivals.empty())
            return -1;
        const size_t i = arrivals.front();
        arrivals.pop_front();
        --open;
        return static_cast<int64_t>(i);
    }
    std::byte *receive_data(size_t i) override { return contents[i].data(); }
    void release(size_t i) override { released.push_back(i); }
    void leave(int64_t frames, transport::Leave how) override { announced = {frames, how}; }

    void land() { under_way = staged = 0, free_slots = SIZE_MAX; } // all posted messages have left
    void depart(int peer, bool sender, int64_t frames, transport::Leave how = transport::Leave::early) {
        departures_.note(peer, {.tag = 0, .of_sender = sender, .frames = frames, .leave = how});
    }
    void arrive(size_t i, const std::string &text) {
        std::memcpy(contents[i].data(), text.data(), text.size());
        arrivals.push_back(i);
    }

    static inline std::vector<LaneExchange *> all; // in the order of their making
    std::vector<size_t> posted, released;
    std::byte *origin = nullptr;
    size_t under_way = 0, staged = 0, free_slots = SIZE_MAX, open = 0;
    std::vector<std::vector<std::byte>> contents;
    std::deque<size_t> arrivals;
    std::optional<std::pair<int64_t, transport::Leave>> announced;
};

// One copy of contiguous bytes.
inline plan::StridedCopy bytes_copy(int64_t bytes, int64_t from, int64_t to) {
    return {bytes, from, to, {}, {}, {}};
}
// A message whose bytes lie at `at` in the buffer.
inline plan::Message sent(int peer, int64_t bytes, int64_t at) {
    return {peer, bytes, {bytes_copy(bytes, at, 0)}, 0};
}
inline plan::Message received(int peer, int64_t bytes, int64_t at) {
    return {peer, bytes, {bytes_copy(bytes, 0, at)}, 0};
}

// Makes lanes of a plan with scripted exchanges.
class LaneMaker {
public:
    explicit LaneMaker(plan::Plan plan) : plan_(std::make_shared<const plan::Plan>(std::move(plan))) {
        LaneExchange::all.clear();
    }
    exec::LinkContext context() { return {plan_, {}, {}, chooser_, transport_}; }
    const std::shared_ptr<const plan::Plan> &plan() const { return plan_; }
    template <class L> L make(const exec::StagingBudget &budget = {}) {
        if constexpr (std::is_constructible_v<L, exec::LinkContext, exec::SendLayout>)
            return L(context(), exec::send_layout(*plan_, budget));
        else
            return L(context(), exec::receive_layout(*plan_, budget));
    }

private:
    std::shared_ptr<const plan::Plan> plan_;
    kernel::Wisdom wisdom_;
    kernel::Chooser chooser_{kernel::best_isa(), wisdom_};
    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    KeptTransport<LaneExchange> transport_{*loopback_};
};

inline std::byte *bytes_of(std::string &text) { return reinterpret_cast<std::byte *>(text.data()); }

} // namespace dri::test
