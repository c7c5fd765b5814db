// Records which peers of an exchange have left it, and answers questions about them.
#include "transport/departures.hpp"

namespace dri::transport {

Departures::Peers::Peers(const MessagePeers &peers) : all(peers.ranks().size()), peers_(&peers) {
    for (size_t i = 0; i < all.size(); ++i)
        all[i].rank = peers.ranks()[i];
}

Departures::Departures(const ExchangeLayout &layout) : receivers_(layout.receivers), senders_(layout.senders) {}

// `frames` is stored last, with release order: a thread that sees the number of frames also sees `leave`.
void Departures::note(int peer, const Notice &notice) {
    for (Peer &p : (notice.of_sender ? senders_ : receivers_).all)
        if (p.rank == peer) {
            p.leave.store(notice.leave, std::memory_order_relaxed);
            p.frames.store(notice.frames, std::memory_order_release);
        }
    any_.store(true, std::memory_order_release);
}

// The acquire load of `frames` makes the relaxed load of `leave` behind it valid. The same holds in
// departure_of().
std::optional<Departure> Departures::before(int64_t frame, size_t i) const {
    const Peer &peer = senders_.of(i);
    const int64_t frames = peer.frames.load(std::memory_order_acquire);
    if (frames > frame)
        return std::nullopt;
    return Departure{peer.rank, frames, peer.leave.load(std::memory_order_relaxed)};
}

std::optional<Departure> Departures::departure_of(const Peer &peer) {
    const int64_t frames = peer.frames.load(std::memory_order_acquire);
    if (frames == there)
        return std::nullopt;
    return Departure{peer.rank, frames, peer.leave.load(std::memory_order_relaxed)};
}

std::optional<Departure> Departures::of_receiver(size_t i) const { return departure_of(receivers_.of(i)); }

std::optional<Departure> Departures::of_all_receivers() const {
    // While nobody has left, which is the usual case, one load answers the question.
    if (receivers_.all.empty() || !any())
        return std::nullopt;
    std::optional<Departure> last;
    for (const Peer &peer : receivers_.all) {
        const auto left = departure_of(peer);
        if (!left)
            return std::nullopt;
        if (!last || left->frames > last->frames)
            last = left;
    }
    return last;
}

std::optional<Departure> Departures::complete_receiver() const {
    for (size_t i = 0; any() && i < receivers_.all.size(); ++i)
        if (const auto left = departure_of(receivers_.all[i]); left && left->complete())
            return left;
    return std::nullopt;
}

} // namespace dri::transport
