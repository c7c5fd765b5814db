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
    std::shared_ptr<dri::LocalTransfer> transfer;
};

// Which end has a matrix that is a row or a column longer, in which the window moves with each frame.
enum class Slides { none, source, sink };

struct Shape {
    int processes = 2;
    int group = 2;    // divides processes
    int64_t ways = 0; // that bytes may go
    Slides slides = Slides::none;
};

// Groups of equal size, one after the other; each turns a matrix of its own, in which every pair of processes has
// one element of complex float.
class Job {
public:
    // Starts and commits; fails as a commit does.
    explicit Job(const Shape &shape);
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    int size() const { return static_cast<int>(processes_.size()); }
    Process &at(int rank) { return processes_[static_cast<size_t>(rank)]; }
    // A frame of one process: its source, its sink, or both. An end that slides is moved first.
    void run_source(Process &p) const;
    void run_sink(Process &p) const;
    void run_both(Process &p) const;

    // Calls `work` for each process, each in a thread of its own, all from the same moment on; `mark` at that
    // moment, and when all are done.
    void on_all(const std::function<void(Process &)> &work, const std::function<void()> &mark);
    // Makes what the sinks hold wrong.
    void poison();
    // The number of elements of the last frame that did not arrive where they should.
    int64_t count_wrong();

private:
    int64_t place(Slides end, int64_t frame) const; // of the window in its array
    void move_source(Process &p) const;
    void move_sink(Process &p) const;
    int64_t first_of_group(int rank) const { return rank - rank % shape_.group; }
    void fill();

    Shape shape_;
    std::vector<Process> processes_;
};

} // namespace overhead_bench
