// Shows, reports and ends waits that last.
#include "exec/long_wait.hpp"

#include "base/printable.hpp"
#include "transport/presence.hpp"

#include <algorithm>
#include <array>

namespace dri::exec {

namespace {

// How often a wait that lasts is looked at, and while an answer is expected.
constexpr auto between_looks = std::chrono::milliseconds(200), between_answers = std::chrono::milliseconds(20);
// A process that waits in the library answers at once, unless it takes a long step.
constexpr auto longest_answer = std::chrono::milliseconds(800);

} // namespace

void LongWait::check_ended(const Missing &missing) const {
    transport::Presence &presence = parts_.transport->presence();
    if (const auto gone = missing([&](int peer) { return presence.has_ended(peer); }))
        parts_.refuse(flow::ended(*gone));
}

void LongWait::check_between(transport::Clock::time_point now, const Missing &missing) {
    next_between_ = now + between_looks;
    check_ended(missing);
}

void LongWait::end() {
    lasts_ = false;
    next_ = first_look;
    report_ = Report::due;
    parts_.transport->presence().hide(this);
}

void LongWait::show(const flow::Refusal &late) {
    std::array<char, transport::Presence::max_text> text;
    const size_t size = flow::describe_wait(text, call_, late, parts_.caller());
    parts_.transport->presence().show(this, {text.data(), size});
}

// In the first look of a call nobody has had time to end.
void LongWait::look(Duration waited, const Missing &missing) {
    const bool is_first = !lasts_;
    lasts_ = true;
    next_ = waited + between_looks;
    const flow::Refused late = missing(anybody);
    if (!late)
        return;
    show(*late);
    if (!is_first)
        check_ended(missing);
    if (report_ != Report::written && parts_.transport->presence().reports().write)
        report(waited, *late);
}

// A report for which an answer is still expected is written without it.
void LongWait::look_last(transport::Clock::time_point now, Duration waited, const Missing &missing) {
    look_between(now, missing);
    if (report_ == Report::asked)
        write(waited, asked_);
}

void LongWait::report(Duration waited, const flow::Refusal &late) {
    transport::Presence &presence = parts_.transport->presence();
    if (waited < presence.reports().after) {
        next_ = std::min<Duration>(next_, presence.reports().after);
    } else if (report_ == Report::asked) {
        next_ = waited + between_answers;
        if (presence.answer_of(asked_.peer) || waited - asked_after_ >= longest_answer)
            write(waited, asked_);
    } else if (presence.is_near(late.peer)) {
        write(waited, late);
    } else {
        parts_.transport->ask(late.peer);
        report_ = Report::asked;
        asked_ = late;
        asked_after_ = waited;
        next_ = waited + between_answers;
    }
}

void LongWait::write(Duration waited, const flow::Refusal &late) {
    report_ = Report::written;
    std::array<char, transport::Presence::max_text> text;
    const size_t size = flow::describe_wait(text, call_, late, parts_.caller());
    const double seconds = std::chrono::duration<double>(waited).count();
    parts_.transport->presence().reports().write(
        printable(fmt::format("a wait lasts {:.1f} s in {}; {}", seconds, std::string_view(text.data(), size),
                              transport::where_is(parts_.transport->presence(), late.peer))));
}

} // namespace dri::exec
