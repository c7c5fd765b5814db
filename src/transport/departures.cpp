// Records which peers of an exchange have left it, and answers questions about them.
#include "transport/departures.hpp"

#include <algorithm>

namespace dri::transport {

Departures::Departures(std::span<const MessageSpec> sends, std::span<const MessageSpec> receives)
    : receivers_(sends.size()), senders_(receives.size()) {
    for (size_t i = 0; i < sends.size(); ++i)
        receivers_[i].rank = sends[i].peer;
    for (size_t i = 0; i < receives.size(); ++i)
        senders_[i].rank = receives[i].peer;
}

// `frames` is stored last, with release order: a thread that sees the number of frames also sees `leave`.
void Departures::note(int peer, const Notice &notice) {
    for (Peer &p : notice.of_sender ? senders_ : receivers_)
        if (p.rank == peer) {
            p.leave.store(notice.leave, std::memory_order_relaxed);
            p.frames.store(notice.frames, std::memory_order_release);
        }
    any_.store(true, std::memory_order_release);
}

// The acquire load of `frames` makes the relaxed load of `leave` behind it valid. The same holds in of_receiver().
std::optional<Departure> Departures::before(int64_t frame, size_t i) const {
    const int64_t frames = senders_[i].frames.load(std::memory_order_acquire);
    if (frames > frame)
        return std::nullopt;
    return Departure{senders_[i].rank, frames, senders_[i].leave.load(std::memory_order_relaxed)};
}

std::optional<Departure> Departures::of_receiver(size_t i) const {
    const int64_t frames = receivers_[i].frames.load(std::memory_order_acquire);
    if (frames == there)
        return std::nullopt;
    return Departure{receivers_[i].rank, frames, receivers_[i].leave.load(std::memory_order_relaxed)};
}

std::optional<Departure> Departures::of_all_receivers() const {
    // While nobody has left, which is the usual case, one load answers the question.
    if (receivers_.empty() || !any())
        return std::nullopt;
    std::optional<Departure> last;
    for (size_t i = 0; i < receivers_.size(); ++i) {
        const auto left = of_receiver(i);
        if (!left)
            return std::nullopt;
        if (!last || left->frames > last->frames)
            last = left;
    }
    return last;
}

std::optional<Departure> Departures::complete_receiver() const {
    for (size_t i = 0; any() && i < receivers_.size(); ++i)
        if (const auto left = of_receiver(i); left && left->complete())
            return left;
    return std::nullopt;
}

} // namespace dri::transport
