// What the processes of a job know of each other beside their messages: what another one waits for, and whether it
// has ended. Those of this node show it on a board in shared memory. Others answer questions, see Transport::ask.
#pragma once

#include "transport/wait_board.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dri::transport {

// Any thread may call everything except the two setters, which come first.
class Presence {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t max_text = WaitBoard::max_text;

    void set_board(WaitBoard board);
    // A wait that lasts longer is reported once, by `write`.
    struct Reports {
        std::chrono::nanoseconds after = std::chrono::nanoseconds::max();
        std::function<void(const std::string &text)> write = nullptr;
    };
    void set_reports(Reports reports) { reports_ = std::move(reports); }
    const Reports &reports() const { return reports_; }

    // Shows what a thread of this process waits for, until hide() with the same key. Of several threads the last
    // one is shown. Allocates nothing.
    void show(const void *key, std::string_view text);
    void hide(const void *key);
    std::string shown() const; // empty if nothing is
    void leave();              // the other processes of the board shall take this one for ended

    // Whether the process is on the board of this one. Only then the next three know something.
    bool is_near(int peer) const;
    std::string of_near(int peer) const; // what it shows; empty if nothing
    bool is_gone(int peer);              // whether it has ended; what it sent before may still arrive
    bool has_ended(int peer);            // and what it sent before must have arrived

    // Notices between processes of the board are counted, so that nobody asks MPI for one that does not exist.
    // count_notice: this process sends one to `peer`; returns whether it is counted. notices: those that were sent
    // to it; null unless all processes of the job are on the board.
    // uncount_notice: the same notice was not sent after all.
    bool count_notice(int peer);
    void uncount_notice(int peer);
    const std::atomic<uint64_t> *notices() const { return notices_; }

    // Answers to questions. Each question has a number, which its answer repeats: an answer to an earlier one is
    // old. expect_answer: returns the number.
    int64_t expect_answer(int peer);
    void take_answer(int peer, int64_t number, std::string text);
    std::optional<std::string> answer_of(int peer) const; // to the last question
    bool is_asked(int peer) const;                        // whether a question was sent

private:
    struct Shown {
        const void *key = nullptr; // null: free
        uint64_t order = 0;
        size_t size = 0;
        std::array<char, max_text> text{};
    };
    const Shown *latest() const;
    void publish();

    Reports reports_;
    mutable std::mutex mutex_; // guards what follows
    WaitBoard board_;
    std::array<Shown, 8> shown_; // of more waits at once, some are not shown
    uint64_t order_ = 0;
    const std::atomic<uint64_t> *notices_ = nullptr; // in board_; set before threads use it
    struct Life {
        Clock::time_point checked, ended;
        bool has_ended = false;
    };
    const Life &look_at(int peer); // from time to time
    std::vector<Life> lives_;      // by rank; empty without a board
    struct Answer {
        int64_t asked = 0; // number of questions
        std::optional<std::string> text;
    };
    std::map<int, Answer> answers_; // of those that were asked
};

// What is known of a process that this one waits for: the call that it is in, that it is in none, or that it is
// gone. A process of another node must have been asked (Transport::ask).
std::string where_is(Presence &presence, int peer);
// The same; empty if the process is on another node and was not asked.
std::string where_if_known(Presence &presence, int peer);

// Fails with DRI_ERR_PEER if the process has ended.
void check_runs(Presence &presence, int peer);

// The same in a loop that waits for that process: looks from time to time.
class RunsCheck {
public:
    explicit RunsCheck(Presence &presence) : presence_(presence) {}
    void look(int peer);

private:
    Presence &presence_;
    Presence::Clock::time_point next_{};
    bool looked_ = false;
};

} // namespace dri::transport
