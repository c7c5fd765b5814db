#include "exec/drop_line.hpp"

#include "base/checked.hpp"

namespace dri {

namespace {

constexpr int64_t word_bytes = sizeof(int64_t);
// Of the frames under way, and of one that is on its way to the first process when the next one is sent.
constexpr int64_t credit_places = DropLine::frames_under_way + 1;

bool hears_verdicts(const DropPeers &peers) { return peers.drops && peers.in_source && !peers.decides(); }

} // namespace

int64_t drop_room_bytes(const DropPeers &peers, bool of_source) {
    if (!peers.drops)
        return 0;
    if (!of_source)
        return peers.in_sink ? WordSender::bytes_for({peers.first}, word_bytes, credit_places) : 0;
    if (hears_verdicts(peers))
        return WordReceiver::bytes_for(peers.first, word_bytes);
    return checked_add(checked_mul(WordReceiver::bytes_for(peers.first, word_bytes), std::ssize(peers.takers)),
                       WordSender::bytes_for(peers.others, word_bytes, peers.depth));
}

DropLine::DropLine(const DropPeers &peers, Transport &transport, int64_t tag)
    : drops_(peers.drops), decides_(peers.decides()), first_(peers.first) {
    if (!drops_)
        return;
    const int64_t verdict_tag = tag + 1;
    for (const int taker : peers.takers) {
        takers_.push_back({WordReceiver(taker, word_bytes, transport, tag), 0});
        takers_.back().credits.expect();
    }
    verdicts_ = WordSender(peers.others, word_bytes, peers.depth, transport, verdict_tag);
    if (hears_verdicts(peers)) {
        verdict_ = WordReceiver(first_, word_bytes, transport, verdict_tag);
        verdict_.expect();
    }
    if (peers.in_sink)
        credits_ = WordSender({first_}, word_bytes, credit_places, transport, tag);
}

int64_t DropLine::workspace_bytes(bool of_source) const {
    if (!of_source)
        return credits_.memory_bytes();
    int64_t bytes = verdicts_.memory_bytes() + verdict_.memory_bytes();
    for (const Taker &taker : takers_)
        bytes += taker.credits.memory_bytes();
    return bytes;
}

// Who has left the sink takes nothing, and holds up nobody.
bool DropLine::has_room() {
    bool room = true;
    for (Taker &taker : takers_) {
        for (int64_t taken = 0; taker.credits.take(&taken); ++taker.taken)
            taker.credits.expect();
        room = room && (kept() - taker.taken < frames_under_way || taker.credits.left(taker.taken));
    }
    return room;
}

bool DropLine::send_verdict(bool goes) {
    const int64_t word = goes;
    return !verdicts_.any() || verdicts_.send(decided_, &word);
}

// A first process that has closed, or gone without a word, sends no more of it.
std::optional<bool> DropLine::hear() {
    int64_t word = 0;
    if (verdict_.take(&word)) {
        verdict_.expect();
        return word != 0;
    }
    const auto left = verdict_.left(decided_);
    if (!left)
        return std::nullopt;
    if (left->ended)
        closed_before_ = left;
    return false;
}

std::optional<bool> DropLine::decide() {
    if (ends_) {
        verdicts_.leave(decided_, ends_); // nobody may wait for more words, or for somebody who takes them
        verdict_.leave(decided_);
        has_to_decide_ = false;
        return true;
    }
    std::optional<bool> goes;
    if (decides_) {
        goes = has_room();
        if (!send_verdict(*goes))
            return std::nullopt;
    } else {
        goes = hear();
    }
    if (!goes)
        return goes;
    ++decided_;
    if (!*goes)
        publish(dropped_, dropped_ + 1);
    has_to_decide_ = false;
    return goes;
}

std::optional<int> DropLine::awaits() const {
    return has_to_decide_ && !decides_ ? std::optional(first_) : std::nullopt;
}

void DropLine::leave_source() {
    if (!ends_) { // else they know
        verdicts_.leave(decided_);
        verdict_.leave(decided_);
    }
    for (Taker &taker : takers_)
        taker.credits.leave(taker.taken);
    has_to_decide_ = false;
    verdicts_.clear();
    takers_.clear();
    verdict_.clear();
}

void DropLine::count_taken() {
    if (!drops_)
        return;
    ++taken_;
    tell();
}

bool DropLine::tell() {
    if (!has_to_tell())
        return false;
    if (!credits_.takes_any()) {
        told_ = taken_; // nobody is left to be told
        return true;
    }
    if (!credits_.send(told_, &told_))
        return false;
    ++told_;
    return true;
}

void DropLine::leave_sink() {
    credits_.leave(taken_);
    credits_.clear();
    told_ = taken_;
}

} // namespace dri
