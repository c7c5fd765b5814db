// Binds a plan when the link is made, and runs the steps of a frame.
#include "exec/link.hpp"

#include "base/checked.hpp"
#include "kernel/fill.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

namespace dri::exec {

namespace {

// While there is other work, no further message is packed if this many are under way. They are few enough to stay
// in cache, and enough that sending goes on until the peers poll again.
constexpr size_t enough_under_way = 3;
// With more senders than this, polling after each packed message costs too much time.
constexpr size_t few_senders = 16;

// round_robin: within each strip, one message to each peer, then the next one to each. No peer then waits until
// all messages of another one are sent.
std::vector<size_t> order_of(const plan::Plan &plan, bool round_robin) {
    const std::vector<plan::Message> &messages = plan.sends;
    std::vector<size_t> order(messages.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (!round_robin)
        return order;
    std::vector<size_t> round(messages.size(), 0);
    size_t first = 0;
    for (int64_t k = 0; k < plan::count_strips(plan); ++k) {
        const size_t end = plan::strip_end(plan, k).sends;
        for (size_t i = first + 1; i < end; ++i) // the messages of a peer follow each other
            round[i] = messages[i].peer == messages[i - 1].peer ? round[i - 1] + 1 : 0;
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](size_t a, size_t b) { return round[a] < round[b]; });
        first = end;
    }
    return order;
}

} // namespace

// Binds every copy to its kernel, which depends on the addresses of the first buffers and on the bytes that a
// frame writes. Then prepares the messages.
Link::Link(std::shared_ptr<const plan::Plan> shared, DirectEndpoints direct, const StagingBudget &budget,
           const Teams &teams, kernel::Chooser &chooser, const FirstBuffers &first,
           transport::Transport &transport, int64_t tag, HeaderChannel headers)
    : plan_(std::move(shared)), direct_(std::move(direct)), headers_(std::move(headers)),
      in_place_(plan_->in_place ? std::make_unique<InPlaceSteps>(plan_, budget.block_bytes) : nullptr) {
    const plan::Plan &plan = *plan_;
    const int64_t written = plan::self_bytes(plan) + plan::pull_bytes(plan) + plan::receive_bytes(plan);
    const auto bind_by = [&](int64_t bytes, const std::byte *src, const std::byte *dst, bool measures) {
        const kernel::Addresses at{reinterpret_cast<uintptr_t>(src), reinterpret_cast<uintptr_t>(dst)};
        return [&chooser, bytes, at, measures](const plan::StridedCopy &copy) {
            return chooser.bind(copy, bytes, at, measures);
        };
    };
    const auto bind_own = bind_by(written, first.source, first.sink, first.source_measures || first.sink_measures);
    has_own_part_ = !plan.self.empty();
    strips_ = plan::count_strips(plan);
    // In place, the own part stays where it is and needs no copies.
    for (auto [k, next] = std::pair{int64_t{0}, plan.self.begin()}; k < strips_ && !in_place(); ++k) {
        const std::vector<plan::StridedCopy> own(
            next, plan.self.begin() + static_cast<std::ptrdiff_t>(plan::strip_end(plan, k).self));
        next += std::ssize(own);
        if (teams.sink.workers && !own.empty())
            self_.emplace_back(own, teams.sink, bind_own);
        else
            for (const plan::StridedCopy &copy : own)
                self_.emplace_back(std::vector{copy}, teams.sink, bind_own);
        own_ends_.push_back(self_.size());
    }
    int64_t scratch_bytes = 0;
    for (const plan::Pull &pull : plan.pulls) {
        const transport::SourceView &view = direct_.views[pulls_.size() / static_cast<size_t>(strips_)];
        auto &remote = remote_pulls_.emplace_back();
        if (view.reads_elsewhere())
            remote = TeamRemoteCopies(pull.copies, teams.sink, chooser.isa(), written, first.sink);
        scratch_bytes = std::max(scratch_bytes, remote.scratch_bytes());
        pulls_.emplace_back(
            pull.copies, teams.sink,
            bind_by(written, view.buffer(0), first.sink, first.sink_measures && !view.reads_elsewhere()));
    }
    scratch_ = AlignedBuffer(scratch_bytes);
    pulled_.assign(direct_.views.size(), strips_);
    to_unpack_.assign(plan.receives.size(), 0);
    // Every message begins at a cache line, so a null address stands for all of them.
    const std::byte *const message = nullptr;
    for (const plan::Message &m : plan.sends) // a packed message is read again at once
        packs_.emplace_back(m.copies, teams.source,
                            bind_by(m.bytes, first.source, message, first.source_measures));
    for (const plan::Message &m : plan.receives) {
        unpacks_.emplace_back(m.copies, teams.sink, bind_by(written, message, first.sink, first.sink_measures));
        has_own_part_ = has_own_part_ || m.peer == plan.rank;
    }
    std::set<int> senders;
    for (const plan::Message &m : plan.receives)
        senders.insert(m.peer);
    has_few_senders_ = senders.size() <= few_senders;
    next_send_ = packs_.size();
    send_order_ = order_of(plan, !in_place() && budget.frames == 0);
    if (in_place()) {
        prepare_in_place(budget, transport, tag);
        return;
    }
    if (!plan.sends.empty()) {
        const auto [exchanges, credits] = send_staging(plan, budget);
        credit_frames_ = std::min(budget.frames, strips_);
        for (int64_t i = 0; i < exchanges; ++i)
            outgoing_.push_back(transport.prepare(
                {.sends = specs(plan.sends, plan.note_bytes), .tag = tag, .send_credits = credits}));
    }
    if (!plan.receives.empty())
        incoming_ = transport.prepare(
            {.receives = specs(plan.receives, plan.note_bytes), .tag = tag, .receive_credits = budget.per_sender});
}

int64_t Link::workspace_bytes(bool of_source) const {
    if (!of_source)
        return (incoming_ ? incoming_->memory_bytes() : 0) + scratch_.bytes() + headers_.workspace_bytes(false);
    int64_t bytes = headers_.workspace_bytes(true) + (in_place_ ? in_place_->workspace_bytes() : 0);
    for (const auto &exchange : outgoing_)
        bytes += exchange->memory_bytes();
    return bytes;
}

// All strips of one frame of the sink share an exchange. Its first strip waits (may_send_) until all earlier
// messages of that exchange have left.
void Link::begin_source(int64_t frame, bool closes, const WindowOffset *offset) {
    headers_.begin_source(frame, closes);
    sending_offset_ = offset;
    if (in_place_)
        in_place_->begin_source();
    if (outgoing_.empty())
        return;
    // Reports the close at once: a sink that expects a frame of this process need not wait until the source is
    // destroyed. A stream has no strips.
    if (closes)
        return outgoing_.front()->leave(frame, transport::Leave::complete);
    const int64_t whole = strips_ == 1 ? frame : frame / strips_, strip = strips_ == 1 ? 0 : frame % strips_;
    sending_ = outgoing_[static_cast<size_t>(ring_slot(whole, std::ssize(outgoing_)))].get();
    strip_ = strip;
    if (strip == 0)
        next_send_ = 0;
    end_send_ = strips_ == 1 ? packs_.size() : plan_->strips[static_cast<size_t>(strip)].sends;
    may_send_ = may_send_ && strip > 0;
}

int64_t Link::copied_strips() const {
    // Without strips, the sink's `moved` counts this frame.
    return strips_ == 1 ? 0 : next_own_ == self_.size() ? strips_ : next_own_strip_;
}

size_t Link::pull_at(size_t view, int64_t strip) const {
    return view * static_cast<size_t>(strips_) + static_cast<size_t>(strip);
}

void Link::begin_sink() {
    if (plan_->note_bytes)
        consensus_.begin();
    next_fill_ = next_own_ = next_pull_ = 0;
    next_own_strip_ = 0;
    skip_strips_without_copies();
    std::fill(pulled_.begin(), pulled_.end(), 0);
    std::fill(to_unpack_.begin(), to_unpack_.end(), 1);
    left_to_pull_ = pulls_.size();
    if (in_place_)
        in_place_->begin_sink();
    headers_.begin_sink();
    if (incoming_)
        incoming_->post_receives();
}

bool Link::has_to_send() { return headers_.has_to_send() || has_messages_to_send(); }

// Skips messages to processes that have left.
bool Link::has_messages_to_send() {
    while (next_send_ < end_send_ && !sending_->departures().takes(send_order_[next_send_]))
        ++next_send_;
    return next_send_ < end_send_;
}

bool Link::pack_and_send_one(std::byte *source, bool ahead) {
    if (!has_messages_to_send())
        return false;
    if (!may_send_) {
        may_send_ = sending_->sends_done();
        // sends_done() may have learned of a departure. The old message to that process keeps its slot.
        if (!may_send_ || !has_messages_to_send())
            return false;
    }
    if (!ahead && sending_->sends_under_way() >= enough_under_way)
        return false;
    const size_t message = send_order_[next_send_];
    std::byte *const to = sending_->send_data(message);
    if (!to)
        return false;
    if (in_place_)
        in_place_->gather(source);
    packs_[message].run(source, to);
    if (sending_offset_)
        std::memcpy(to + plan_->sends[message].bytes, &sending_offset_->offset, plan::window_note_bytes);
    sending_->post_send(message);
    ++next_send_;
    return true;
}

bool Link::fill_one(std::byte *sink_buffer) {
    if (next_fill_ == plan_->zeros.size() || (in_place_ && has_messages_to_send()))
        return false;
    kernel::fill_zeros(plan_->zeros[next_fill_++], sink_buffer);
    return true;
}

bool Link::copy_one(const std::byte *source, std::byte *sink) {
    if (in_place_)
        return scatter(sink);
    if (next_own_ == self_.size() || !source)
        return false;
    self_[next_own_++].run(source, sink);
    skip_strips_without_copies();
    return true;
}

// Moves on to the strip of the next copy. A strip may have no copies.
void Link::skip_strips_without_copies() {
    while (next_own_strip_ + 1 < strips_ && next_own_ == own_ends_[static_cast<size_t>(next_own_strip_)])
        ++next_own_strip_;
}

// Reads shared memory where it lies, or another process's buffer with the system's help.
void Link::pull_from(size_t at, int64_t strip, int64_t frame, std::byte *sink) {
    const transport::SourceView &view = direct_.views[at];
    const uint64_t elsewhere = view.elsewhere(frame);
    const size_t i = pull_at(at, strip);
    const int64_t source_bytes = plan_->note_bytes ? observe_offset_direct(at, frame) : 0;
    if (!elsewhere)
        return pulls_[i].run(view.buffer(frame) + source_bytes, sink);
    remote_pulls_[i].run(view.pid(), elsewhere + static_cast<uint64_t>(source_bytes), sink, scratch_.data());
}

// Takes the peers round-robin, so that none is always the last to be pulled from.
bool Link::pull_one(int64_t frame, std::byte *sink) {
    for (size_t tries = left_to_pull_ > 0 ? pulled_.size() : 0; tries > 0; --tries) {
        const size_t i = next_pull_;
        next_pull_ = i + 1 < pulled_.size() ? i + 1 : 0;
        transport::SourceView &view = direct_.views[i];
        const int64_t strip = pulled_[i], from = frame * strips_ + strip;
        if (strip == strips_ || !view.has(from))
            continue;
        pull_from(i, strip, from, sink);
        view.take(from + 1);
        ++pulled_[i];
        --left_to_pull_;
        return true;
    }
    return false;
}

// The message's slot is free for the peer's next message as soon as it is unpacked.
void Link::unpack(int64_t i, std::byte *sink) {
    const auto message = static_cast<size_t>(i);
    const std::byte *const data = incoming_->receive_data(message);
    if (plan_->note_bytes)
        observe_offset_message(message, data);
    unpacks_[message].run(data, sink);
    incoming_->release(message);
    to_unpack_[message] = 0;
}

// In place, a message must not overwrite what is not packed yet. It is held until release_ready() returns it.
bool Link::unpack_one(std::byte *sink) {
    if (in_place_)
        if (const auto held = in_place_->release_ready(next_send_)) {
            unpack(static_cast<int64_t>(*held), sink);
            return true;
        }
    const int64_t i = incoming_ && !sink_ended_ ? incoming_->try_receive() : -1;
    if (i < 0)
        return false;
    if (in_place_ && !in_place_->may_unpack(static_cast<size_t>(i), next_send_))
        in_place_->hold(static_cast<size_t>(i));
    else
        unpack(i, sink);
    return true;
}

bool Link::sends_done() {
    bool done = true;
    for (const auto &exchange : outgoing_)
        done = exchange->sends_done() && done;
    return done;
}

std::optional<int> Link::lagging_puller(int64_t frames) const {
    for (size_t i = 0; i < plan_->pullers.size(); ++i)
        if (!direct_.source->has_pulled(direct_.first_puller + static_cast<int64_t>(i), frames))
            return plan_->pullers[i].peer;
    return std::nullopt;
}

// A blocked header is reported before blocked messages.
std::optional<Link::BlockingReceiver> Link::blocking_receiver() const {
    if (const auto peer = headers_.blocking_receiver())
        return BlockingReceiver{*peer, headers_.slots()};
    if (next_send_ >= end_send_)
        return std::nullopt;
    if (may_send_ && !in_place()) // all slots of this receiver are taken
        return BlockingReceiver{plan_->sends[send_order_[next_send_]].peer, credit_frames_};
    const auto peer = sending_->awaits();
    if (!peer)
        return std::nullopt;
    // All messages of a sink's frame must leave before another frame uses their exchange.
    return BlockingReceiver{*peer, may_send_ ? 0 : strip_ + 1 + (std::ssize(outgoing_) - 1) * strips_};
}

std::optional<int> Link::pending_sender(int64_t frame) const {
    for (size_t i = 0; i < pulled_.size(); ++i)
        if (pulled_[i] < strips_ && !direct_.views[i].has(frame * strips_ + pulled_[i]))
            return plan_->pulls[pull_at(i, 0)].peer;
    for (size_t i = 0; i < to_unpack_.size(); ++i)
        if (to_unpack_[i] && !(in_place_ && in_place_->holds(i)))
            return plan_->receives[i].peer;
    return headers_.has_to_receive() ? std::optional(headers_.first()) : std::nullopt;
}

} // namespace dri::exec
