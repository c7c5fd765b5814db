// Keeps what this process shows, and what it knows of others.
#include "transport/presence.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace dri::transport {

namespace {

// A look at a process takes some 10 us.
constexpr auto between_looks = std::chrono::milliseconds(50);
// What a process has sent before its end arrives within this time.
constexpr auto last_messages = std::chrono::milliseconds(100);

} // namespace

void Presence::set_board(WaitBoard board) {
    const std::lock_guard lock(mutex_);
    board_ = std::move(board);
    lives_.resize(board_.size());
    notices_ = board_.notices();
}

bool Presence::count_notice(int peer) {
    const std::lock_guard lock(mutex_);
    if (!board_.has(peer))
        return false;
    board_.count_notice(peer);
    return true;
}

void Presence::uncount_notice(int peer) {
    const std::lock_guard lock(mutex_);
    board_.uncount_notice(peer);
}

const Presence::Shown *Presence::latest() const {
    const Shown *last = nullptr;
    for (const Shown &one : shown_)
        if (one.key && (!last || one.order > last->order))
            last = &one;
    return last;
}

void Presence::publish() {
    const Shown *const last = latest();
    board_.write(last ? std::string_view(last->text.data(), last->size) : std::string_view());
}

void Presence::show(const void *key, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto with = [&](const void *of) {
        return std::find_if(shown_.begin(), shown_.end(), [&](const Shown &one) { return one.key == of; });
    };
    auto slot = with(key);
    if (slot == shown_.end())
        slot = with(nullptr);
    if (slot == shown_.end())
        return;
    slot->key = key;
    slot->order = ++order_;
    slot->size = std::min(text.size(), max_text);
    std::copy_n(text.data(), slot->size, slot->text.data());
    publish();
}

void Presence::hide(const void *key) {
    const std::lock_guard lock(mutex_);
    for (Shown &one : shown_)
        if (one.key == key)
            one.key = nullptr;
    publish();
}

std::string Presence::shown() const {
    const std::lock_guard lock(mutex_);
    const Shown *const last = latest();
    return last ? std::string(last->text.data(), last->size) : std::string();
}

void Presence::leave() {
    const std::lock_guard lock(mutex_);
    board_.leave();
}

bool Presence::is_near(int peer) const {
    const std::lock_guard lock(mutex_);
    return board_.has(peer);
}

std::string Presence::of_near(int peer) const {
    const std::lock_guard lock(mutex_);
    return board_.has(peer) ? board_.text_of(peer) : std::string();
}

const Presence::Life &Presence::look_at(int peer) {
    static constexpr Life unknown;
    if (!board_.has(peer))
        return unknown;
    Life &life = lives_[static_cast<size_t>(peer)];
    const auto now = Clock::now();
    if (!life.has_ended && now - life.checked >= between_looks) {
        life.checked = now;
        life.has_ended = transport::has_ended(board_.process(peer));
        life.ended = now;
    }
    return life;
}

bool Presence::is_gone(int peer) {
    const std::lock_guard lock(mutex_);
    return look_at(peer).has_ended;
}

bool Presence::has_ended(int peer) {
    const std::lock_guard lock(mutex_);
    const Life &life = look_at(peer);
    return life.has_ended && Clock::now() - life.ended >= last_messages;
}

int64_t Presence::expect_answer(int peer) {
    const std::lock_guard lock(mutex_);
    Answer &answer = answers_[peer];
    answer.text.reset();
    return ++answer.asked;
}

void Presence::take_answer(int peer, int64_t number, std::string text) {
    const std::lock_guard lock(mutex_);
    if (const auto found = answers_.find(peer); found != answers_.end() && found->second.asked == number)
        found->second.text = std::move(text);
}

std::optional<std::string> Presence::answer_of(int peer) const {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(peer);
    return found == answers_.end() ? std::nullopt : found->second.text;
}

bool Presence::is_asked(int peer) const {
    const std::lock_guard lock(mutex_);
    return answers_.contains(peer);
}

std::string where_is(Presence &presence, int peer) {
    const auto text = presence.is_near(peer) ? std::optional(presence.of_near(peer)) : presence.answer_of(peer);
    if (presence.is_gone(peer))
        return fmt::format("process {} is gone", peer);
    if (!text)
        return fmt::format("process {} has not answered: it is in no call of the library, or gone", peer);
    if (text->empty())
        return fmt::format("process {} waits in no call of the library", peer);
    return fmt::format("process {} is in {}", peer, *text);
}

std::string where_if_known(Presence &presence, int peer) {
    return presence.is_near(peer) || presence.is_asked(peer) ? where_is(presence, peer) : std::string();
}

void check_runs(Presence &presence, int peer) {
    if (presence.has_ended(peer))
        fail(DRI_ERR_PEER, "process {} is gone: it has ended without DRI_finalize", peer);
}

// What the process has sent is received first.
void RunsCheck::look(int peer) {
    const auto now = Presence::Clock::now();
    if (now < next_)
        return;
    if (looked_)
        check_runs(presence_, peer);
    looked_ = true;
    next_ = now + between_looks;
}

} // namespace dri::transport
