// A job whose processes live in one process. Each has a session on a loopback transport, and sends tiny pieces to
// its peers.
#pragma once

#include "commit/session.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace overhead_bench {

// One process of the job, with its source and its sink.
struct Process {
    std::unique_ptr<dri::commit::Session> session;
    std::shared_ptr<dri::commit::Endpoint> source, sink;
    std::shared_ptr<dri::exec::LocalTransfer> transfer;
};

// The side whose array is one row or column longer. Its window slides in that array with each frame.
enum class Slides { none, source, sink };

struct Shape {
    int processes = 2;
    int group = 2;    // divides processes
    int64_t ways = 0; // allowed ways
    Slides slides = Slides::none;
};

// Groups of equal size. Each group does the corner turn of its own matrix, in which every pair of processes
// exchanges one complex float.
class Job {
public:
    // Starts all sessions and commits. Throws if the commit fails.
    explicit Job(const Shape &shape);
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    int size() const { return static_cast<int>(processes_.size()); }
    Process &at(int rank) { return processes_[static_cast<size_t>(rank)]; }
    // Runs a frame of one process: its source, its sink, or both. An endpoint that slides is rebased first.
    void run_source(Process &p) const;
    void run_sink(Process &p) const;
    void run_both(Process &p) const;

    // Calls `work` for each process in its own thread. All threads start at the same time. Calls `mark` at that
    // time, and again when all are done.
    void on_all(const std::function<void(Process &)> &work, const std::function<void()> &mark);
    // Overwrites the buffers of all sinks with wrong values.
    void poison();
    // The number of wrong elements in the last frame of all sinks.
    int64_t count_wrong();

private:
    int64_t window_offset(Slides side, int64_t frame) const; // offset of the window in its array
    void move_source(Process &p) const;
    void move_sink(Process &p) const;
    int64_t first_of_group(int rank) const { return rank - rank % shape_.group; }
    void fill();

    Shape shape_;
    std::vector<Process> processes_;
};

} // namespace overhead_bench
