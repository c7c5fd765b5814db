// A job whose processes live in one: each has a session on a loopback transport, and gives tiny pieces to its
// peers.
#pragma once

#include "commit/session.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace overhead_bench {

// One process of the job, with its source and its sink.
struct Process {
    std::unique_ptr<dri::Session> session;
    std::shared_ptr<dri::Endpoint> source, sink;
    std::shared_ptr<dri::Transfer> transfer;
};

// Groups of equal size, one after the other; each turns a matrix of its own, in which every pair of processes has
// one element of complex float.
class Job {
public:
    // group: divides processes. ways: those that bytes may go. Starts and commits; fails as a commit does.
    Job(int processes, int group, int64_t ways);
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    int size() const { return static_cast<int>(processes_.size()); }
    Process &at(int rank) { return processes_[static_cast<size_t>(rank)]; }

    // Calls `work` for each process, each in a thread of its own, all from the same moment on; `mark` at that
    // moment, and when all are done.
    void on_all(const std::function<void(Process &)> &work, const std::function<void()> &mark);
    // Makes what the sinks hold wrong.
    void poison();
    // The number of elements of the last frame that did not arrive where they should.
    int64_t count_wrong();

private:
    void fill();

    int group_;
    std::vector<Process> processes_;
};

} // namespace overhead_bench
