// What is done in a wait that lasts: other processes see what this one waits for, the log reports it once, and
// processes that have ended are found.
#pragma once

#include "exec/lane.hpp"
#include "exec/parts.hpp"
#include "flow/refusal.hpp"
#include "transport/transport.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace dri::exec {

// The first process among some that a call waits for; nothing if it waits for none of them.
using Missing = std::function<flow::Refused(const Among &)>;

class LongWait {
public:
    explicit LongWait(TransferParts &parts) : parts_(parts) {}

    // A call that may wait. Almost always it costs a store and a look at one flag.
    class Call {
    public:
        Call(LongWait &wait, const char *name) : wait_(wait) { wait.call_ = name; }
        ~Call() {
            if (wait_.lasts_)
                wait_.end();
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

    private:
        LongWait &wait_;
    };

    // waited: by the call so far.
    bool is_due(transport::Clock::duration waited) const { return waited >= next_; }
    // All three fail with DRI_ERR_PEER if a process that the call waits for has ended. look_last: at a timeout;
    // many short waits may last together. look_between: for calls that do not wait and are repeated.
    void look(transport::Clock::duration waited, const Missing &missing);
    void look_last(transport::Clock::time_point now, transport::Clock::duration waited, const Missing &missing);
    void look_between(transport::Clock::time_point now, const Missing &missing) {
        if (now >= next_between_)
            check_between(now, missing);
    }

private:
    using Duration = transport::Clock::duration;
    static constexpr std::chrono::milliseconds first_look{10};

    void check_ended(const Missing &missing) const;
    void check_between(transport::Clock::time_point now, const Missing &missing);
    void end();
    void show(const flow::Refusal &late);
    void report(Duration waited, const flow::Refusal &late);
    void write(Duration waited, const flow::Refusal &late);

    TransferParts &parts_;
    const char *call_ = "";
    Duration next_ = first_look;
    bool lasts_ = false; // since the first look of the call
    // The report of the call: a process of another node is asked first.
    enum class Report { due, asked, written } report_ = Report::due;
    flow::Refusal asked_;
    Duration asked_after_{};
    transport::Clock::time_point next_between_{};
};

} // namespace dri::exec
