#include "exec/drop_line.hpp"

#include "base/checked.hpp"
#include "base/in_turn.hpp"
#include "transport/staging.hpp"

#include <cstring>

namespace dri {

namespace {

constexpr int64_t word_bytes = sizeof(int64_t);
// Of the frames under way, and of one that is on its way to the first process when the next one is sent.
constexpr int64_t credit_places = DropLine::frames_under_way + 1;

std::vector<Slot> words_of(const std::vector<int> &peers) {
    std::vector<Slot> slots;
    for (const int peer : peers)
        slots.push_back({peer, word_bytes});
    return slots;
}

int64_t words_to(const std::vector<int> &peers, int64_t places) {
    return checked_mul(Staging::bytes_for(words_of(peers), Staging::Share::alike, Transport::no_window), places);
}

int64_t words_from(const std::vector<int> &peers) {
    return Staging::bytes_for(words_of(peers), Staging::Share::per_peer, 1);
}

bool hears_verdicts(const DropPeers &peers) { return peers.drops && peers.in_source && !peers.decides(); }

} // namespace

int64_t drop_room_bytes(const DropPeers &peers, bool of_source) {
    if (!peers.drops)
        return 0;
    if (!of_source)
        return peers.in_sink ? words_to({peers.first}, credit_places) : 0;
    if (hears_verdicts(peers))
        return words_from({peers.first});
    return checked_add(checked_mul(words_from({peers.first}), std::ssize(peers.takers)),
                       words_to(peers.others, peers.depth));
}

DropLine::DropLine(const DropPeers &peers, Transport &transport, int64_t tag)
    : drops_(peers.drops), decides_(peers.decides()), first_(peers.first), others_(peers.others.size()) {
    if (!drops_)
        return;
    const int64_t verdict_tag = tag + 1;
    for (const int taker : peers.takers) {
        auto credits = transport.prepare({}, words_of({taker}), tag, 1);
        credits->post_receives();
        takers_.push_back({std::move(credits), 0});
    }
    for (int64_t i = 0; others_ > 0 && i < peers.depth; ++i)
        verdicts_.push_back(transport.prepare(words_of(peers.others), {}, verdict_tag));
    if (hears_verdicts(peers)) {
        verdict_ = transport.prepare({}, words_of({first_}), verdict_tag, 1);
        verdict_->post_receives();
    }
    for (int64_t i = 0; peers.in_sink && i < credit_places; ++i)
        credits_.push_back(transport.prepare(words_of({first_}), {}, tag));
}

int64_t DropLine::workspace_bytes(bool of_source) const {
    int64_t bytes = 0;
    if (!of_source) {
        for (const auto &exchange : credits_)
            bytes += exchange->memory_bytes();
        return bytes;
    }
    for (const Taker &taker : takers_)
        bytes += taker.credits->memory_bytes();
    for (const auto &exchange : verdicts_)
        bytes += exchange->memory_bytes();
    return bytes + (verdict_ ? verdict_->memory_bytes() : 0);
}

// Who has left the sink takes nothing, and holds up nobody.
bool DropLine::has_room() {
    bool room = true;
    for (Taker &taker : takers_) {
        Exchange &credits = *taker.credits;
        while (credits.try_receive() >= 0) {
            credits.release(0);
            credits.post_receives();
            ++taker.taken;
        }
        room = room && (kept() - taker.taken < frames_under_way || credits.departures().before(taker.taken, 0));
    }
    return room;
}

bool DropLine::send_verdict(bool goes) {
    if (others_ == 0)
        return true;
    Exchange &verdicts = *verdicts_[static_cast<size_t>(in_turn(decided_, std::ssize(verdicts_)))];
    if (!verdicts.sends_done())
        return false;
    const int64_t word = goes;
    for (size_t i = 0; i < others_; ++i) {
        if (!verdicts.departures().takes(i))
            continue;
        std::memcpy(verdicts.send_data(i), &word, sizeof(word));
        verdicts.post_send(i);
    }
    return true;
}

// A first process that has closed, or gone without a word, sends no more of it.
std::optional<bool> DropLine::hear() {
    if (verdict_->try_receive() < 0) {
        const auto left = verdict_->departures().any() ? verdict_->departures().before(decided_, 0) : std::nullopt;
        if (!left)
            return std::nullopt;
        if (left->ended)
            closed_before_ = left;
        return false;
    }
    int64_t word = 0;
    std::memcpy(&word, verdict_->receive_data(0), sizeof(word));
    verdict_->release(0);
    verdict_->post_receives();
    return word != 0;
}

std::optional<bool> DropLine::decide() {
    if (ends_) {
        if (!verdicts_.empty()) // nobody may wait for more words, or for somebody who takes them
            verdicts_.front()->leave(decided_, ends_);
        if (verdict_)
            verdict_->leave(decided_);
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
    if (!verdicts_.empty() && !ends_) // else they know
        verdicts_.front()->leave(decided_);
    for (Taker &taker : takers_)
        taker.credits->leave(taker.taken);
    if (verdict_ && !ends_)
        verdict_->leave(decided_);
    has_to_decide_ = false;
    verdicts_.clear();
    takers_.clear();
    verdict_.reset();
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
    Exchange &credits = *credits_[static_cast<size_t>(in_turn(told_, std::ssize(credits_)))];
    if (!credits.departures().takes(0)) {
        told_ = taken_; // nobody is left to be told
        return true;
    }
    if (!credits.sends_done())
        return false;
    std::memcpy(credits.send_data(0), &told_, sizeof(told_));
    credits.post_send(0);
    ++told_;
    return true;
}

void DropLine::leave_sink() {
    if (!credits_.empty())
        credits_.front()->leave(taken_);
    credits_.clear();
    told_ = taken_;
}

} // namespace dri
