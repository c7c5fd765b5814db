#include "exec/link.hpp"

#include "base/checked.hpp"
#include "kernel/fill.hpp"

#include <algorithm>

namespace dri {

namespace {

// written_bytes: what a frame writes by these copies and those like them.
std::vector<BoundCopy> bind_all(const std::vector<StridedCopy> &copies, Isa isa, int64_t written_bytes) {
    std::vector<BoundCopy> bound;
    for (const StridedCopy &copy : copies)
        bound.push_back(bind(copy, isa, written_bytes));
    return bound;
}

std::vector<Slot> slots(const std::vector<Message> &messages) {
    std::vector<Slot> out;
    for (const Message &m : messages)
        out.push_back({m.peer, m.bytes});
    return out;
}

void run(const std::vector<BoundCopy> &copies, const std::byte *src, std::byte *dst) {
    for (const BoundCopy &copy : copies)
        copy(src, dst);
}

std::string text_of(const std::vector<BoundCopy> &copies) {
    std::string text;
    for (const BoundCopy &c : copies)
        text += fmt::format("    {} [{}]\n", to_text(c.copy), c.kernel->name);
    return text;
}

std::string text_of(const char *verb, const std::vector<Message> &messages,
                    const std::vector<std::vector<BoundCopy>> &copies) {
    std::string text;
    for (size_t i = 0; i < messages.size(); ++i)
        text += fmt::format("  message {} {}: {} bytes\n{}", verb, messages[i].peer, messages[i].bytes,
                            text_of(copies[i]));
    return text;
}

} // namespace

Link::Link(std::shared_ptr<const Plan> shared, DirectEnds direct, int64_t source_depth, Isa isa,
           Transport &transport, int64_t tag)
    : plan_(std::move(shared)), direct_(std::move(direct)) {
    const Plan &plan = *plan_;
    const int64_t written = self_bytes(plan) + pull_bytes(plan) + receive_bytes(plan);
    self_ = bind_all(plan.self, isa, written);
    has_own_part_ = !plan.self.empty();
    int64_t scratch_bytes = 0;
    for (const Pull &pull : plan.pulls) {
        pulls_.push_back(bind_all(pull.copies, isa, written));
        auto &remote = remote_pulls_.emplace_back();
        if (!direct_.views[pulls_.size() - 1].reads_elsewhere())
            continue;
        for (const StridedCopy &copy : pull.copies) {
            remote.emplace_back(copy, isa, written);
            scratch_bytes = std::max(scratch_bytes, remote.back().scratch_bytes());
        }
    }
    scratch_ = AlignedBuffer(scratch_bytes);
    to_pull_.assign(pulls_.size(), 0);
    for (const Message &m : plan.sends)
        packs_.push_back(bind_all(m.copies, isa, send_bytes(plan)));
    for (const Message &m : plan.receives) {
        unpacks_.push_back(bind_all(m.copies, isa, written));
        has_own_part_ = has_own_part_ || m.peer == plan.rank;
    }
    if (!plan.sends.empty())
        for (int64_t i = 0; i < source_depth; ++i)
            outgoing_.push_back(transport.prepare(slots(plan.sends), {}, tag));
    if (!plan.receives.empty())
        incoming_ = transport.prepare({}, slots(plan.receives), tag);
}

int64_t Link::workspace_bytes(bool of_source) const {
    return of_source ? checked_mul(send_bytes(*plan_), static_cast<int64_t>(outgoing_.size()))
                     : receive_bytes(*plan_) + scratch_.bytes();
}

void Link::fill_pads(std::byte *sink) const {
    for (const StridedCopy &fill : plan_->zeros)
        fill_zeros(fill, sink);
}

void Link::post_receives() {
    if (incoming_)
        incoming_->post_receives();
}

void Link::send(int64_t frame, const std::byte *source) {
    if (outgoing_.empty())
        return;
    Exchange &exchange = *outgoing_[static_cast<size_t>(frame) % outgoing_.size()];
    exchange.wait_sends();
    for (size_t i = 0; i < packs_.size(); ++i) {
        if (!exchange.departures().takes(i))
            continue;
        run(packs_[i], source, exchange.send_data(i));
        exchange.post_send(i);
    }
}

void Link::copy_self(const std::byte *source, std::byte *sink) const { run(self_, source, sink); }

void Link::start_pulls() { std::fill(to_pull_.begin(), to_pull_.end(), 1); }

void Link::pull_from(size_t i, int64_t frame, std::byte *sink) const {
    const SourceView &view = direct_.views[i];
    const uint64_t elsewhere = view.elsewhere(frame);
    if (!elsewhere)
        return run(pulls_[i], view.buffer(frame), sink);
    for (const RemoteCopy &copy : remote_pulls_[i])
        copy(view.pid(), elsewhere, sink, scratch_.data());
}

bool Link::pull(int64_t frame, std::byte *sink) {
    bool all = true;
    for (size_t i = 0; i < pulls_.size(); ++i) {
        if (!to_pull_[i])
            continue;
        SourceView &view = direct_.views[i];
        if (!view.has(frame)) {
            all = false;
            continue;
        }
        pull_from(i, frame, sink);
        view.take(frame + 1);
        to_pull_[i] = 0;
    }
    return all;
}

void Link::receive(std::byte *sink) {
    if (!incoming_)
        return;
    for (int64_t i = incoming_->wait_receive(); i >= 0; i = incoming_->wait_receive())
        run(unpacks_[static_cast<size_t>(i)], incoming_->receive_data(static_cast<size_t>(i)), sink);
}

bool Link::sends_done() {
    bool done = true;
    for (const auto &exchange : outgoing_)
        done = exchange->sends_done() && done;
    return done;
}

std::optional<int> Link::lacks(int64_t frames) const {
    for (size_t i = 0; i < plan_->takers.size(); ++i)
        if (!direct_.source->has_taken(direct_.first_taker + static_cast<int64_t>(i), frames))
            return plan_->takers[i].peer;
    return std::nullopt;
}

std::optional<Departure> Link::all_receivers_left() {
    if (!outgoing_.empty())
        outgoing_.front()->look();
    std::optional<Departure> one;
    for (size_t i = 0; i < plan_->takers.size(); ++i) {
        const auto frames = direct_.source->left(direct_.first_taker + static_cast<int64_t>(i));
        if (!frames)
            return std::nullopt;
        one = Departure{plan_->takers[i].peer, *frames};
    }
    return outgoing_.empty() ? one : outgoing_.front()->departures().of_all_receivers();
}

std::optional<Departure> Link::lost_pull(int64_t frame) const {
    for (size_t i = 0; i < plan_->pulls.size(); ++i)
        if (const auto frames = direct_.views[i].left(); frames && *frames <= frame)
            return Departure{plan_->pulls[i].peer, *frames};
    return std::nullopt;
}

std::optional<Departure> Link::sender_left(int64_t frame) {
    if (const auto left = lost_pull(frame))
        return left;
    if (!incoming_)
        return std::nullopt;
    incoming_->look();
    if (incoming_->departures().any())
        for (size_t i = 0; i < unpacks_.size(); ++i)
            if (const auto left = incoming_->departures().before(frame, i))
                return left;
    return std::nullopt;
}

// The peers note it in all their exchanges of the tag, so one of ours is enough.
void Link::leave_source(int64_t frames) {
    if (!outgoing_.empty())
        outgoing_.front()->leave(frames);
    outgoing_.clear();
    direct_.source.reset();
}

void Link::leave_sink(int64_t frames) {
    if (incoming_)
        incoming_->leave(frames);
    incoming_.reset();
    for (SourceView &view : direct_.views)
        view.leave(frames);
    direct_.views.clear();
}

std::string Link::explain_source() const {
    std::string text = self_.empty() ? "" : "  self\n" + text_of(self_);
    for (const Taker &taker : plan_->takers)
        text += fmt::format("  direct to {}: {} bytes\n", taker.peer, taker.bytes);
    return text + text_of("to", plan_->sends, packs_);
}

std::string Link::explain_sink() const {
    std::string text = self_.empty() ? "" : "  self\n" + text_of(self_);
    for (const StridedCopy &fill : plan_->zeros)
        text += fmt::format("  zeros into pads: {} bytes\n", copy_bytes(fill));
    for (size_t i = 0; i < pulls_.size(); ++i)
        text += fmt::format("  direct from {}: {} bytes\n{}", plan_->pulls[i].peer, pull_bytes(plan_->pulls[i]),
                            text_of(pulls_[i]));
    return text + text_of("from", plan_->receives, unpacks_);
}

} // namespace dri
