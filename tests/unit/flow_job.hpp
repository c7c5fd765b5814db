// A small model of a job for the rules of flow control: processes with their own ledgers, buffers that hold the
// number of the frame in them, and queues of messages. Every process may do any call that is admitted, at any
// time. The oracle is the content of the buffers and a count of the calls, not the ledgers.
#pragma once

#include "flow/admission.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dri::flow::test {

constexpr size_t max_sources = 2, max_sides = 2, max_processes = 3, max_buffers = 3, max_strips = 2;

enum class Way { direct, message };

// One sink side: the processes of its group.
struct SinkSide {
    std::vector<int> group{};
    int64_t buffers = 1; // in arrays
    int64_t strips = 1;
    bool users = false; // the buffers are the user's own
    bool drops = false;
    int64_t every = 1, phase = 0; // the frames of the source that it takes
    bool takes_own = true;        // false: a process takes nothing from its own source
    bool one_way = false;         // true: a process takes nothing from the processes after it
};

// Which calls the processes do.
struct Calls {
    bool halves = true;       // acquire, insert, extract, release
    bool handles = true;      // do, for one endpoint
    bool by_name = true;      // do, for all endpoints of the process
    bool start = false;       // start and wait, by name
    bool attempts = false;    // acquire and extract without a wait
    bool leave = true;        // endpoints may be destroyed at any time; otherwise only when nothing is left to do
    bool progress = false;    // frames also move between calls
    bool close_early = false; // a source may close the stream after any frame; otherwise after the last one
};

struct Job {
    std::vector<int> sources{}; // the processes of the source's group
    std::vector<SinkSide> sinks{};
    int64_t buffers = 1;              // of each source
    int64_t strips = 1;               // of each source
    int64_t frames = 3;               // that each source inserts
    std::vector<int64_t> frames_of{}; // the same, if sources differ
    bool stream = false;
    Way way = Way::direct;
    int64_t staging = 1;      // frames of messages from a process to another
    bool in_place = false;    // source and sink are the same processes and share their buffers
    bool posts_later = false; // a thread of the process takes all steps, and sources do not wait for them
    bool is_read = false;     // sources are in the user's memory: they are not destroyed while others read them
    bool old_facts = false;   // what a process knows about others may be old; otherwise it is always new
    Calls calls{};
    // Faults to be found. tamper: changes what a process believes.
    std::function<void(Ledgers &)> tamper{};
    std::set<Reason> ignored{}; // refusals that processes do not obey
    bool leaves_still = false;  // a process that destroys its source moves nothing while it waits

    int processes() const {
        int count = 0;
        for (const int p : sources)
            count = std::max(count, p + 1);
        for (const SinkSide &side : sinks)
            for (const int p : side.group)
                count = std::max(count, p + 1);
        return count;
    }
    int64_t frames_at(size_t source) const { return frames_of.empty() ? frames : frames_of[source]; }
};

// What a walk over all states has found.
struct Walk {
    size_t states = 0;
    size_t finished = 0;       // states in which all have left
    std::string fault;         // the first one; empty: none
    std::set<Reason> refusals; // that occurred
    int64_t max_ahead = -1;    // of a source before its own sink, in frames whose next buffer is acquired
};

// A process that waits for ever, and what its call is for.
struct Stuck {
    const Ledgers &ledgers;
    const CallEndpoints &call;
    bool leaves; // destroys its source, which others read
};
// Whether the rules allow a process to wait for ever.
using Accepts = std::function<bool(const Stuck &)>;

// Visits all states of a job, breadth first. It is a fault if all processes wait, unless one of them is accepted.
Walk walk(const Job &job, const Accepts &accepts = {});

} // namespace dri::flow::test
