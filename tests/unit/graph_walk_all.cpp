// Walks through all orders of small graphs: each state is reached once, and left by every step.
#include "graph_walk_program.hpp"

#include <cstring>
#include <unordered_set>

namespace dri::graph {

namespace {

// For every node that has a value in a slot: slot, node, address and bytes. Constants do not change.
template <class Do>
void each_value(const PlanBody &plan, int slots, const FramePointers &pointers, const Do &act) {
    for (int slot = 0; slot < slots; ++slot)
        for (const int node : plan.reached().nodes)
            if (std::byte *const at = pointers.address(slot, node);
                at && plan.body().node(node).kind != NodeKind::data)
                act(slot, node, at, static_cast<size_t>(plan.body().bytes_of(node)));
}

} // namespace

RunnerPosition::RunnerPosition(const PlanBody &plan, const Runner &runner)
    : begun_(runner.begun_), done_(runner.done_), is_ended_(runner.is_ended_), broken_(runner.broken_),
      flights_(runner.flights_) {
    each_value(plan, runner.options_.slots(), runner.pointers_, [&](int, int, std::byte *at, size_t bytes) {
        addresses_.push_back(at);
        values_.insert(values_.end(), at, at + bytes);
    });
    for (const CarrierEnd &end : runner.ends_)
        ends_.push_back({end.acquired_, end.inserted_, end.held_, end.is_closed_});
}

void RunnerPosition::restore(const PlanBody &plan, Runner &runner) const {
    runner.begun_ = begun_;
    runner.done_ = done_;
    runner.is_ended_ = is_ended_;
    runner.broken_ = broken_;
    runner.flights_ = flights_;
    size_t i = 0, from = 0;
    each_value(plan, runner.options_.slots(), runner.pointers_,
               [&](int slot, int node, const std::byte *at, size_t bytes) {
                   if (at != addresses_[i])
                       runner.pointers_.set(slot, node, addresses_[i]);
                   std::memcpy(addresses_[i++], values_.data() + from, bytes);
                   from += bytes;
               });
    for (size_t end = 0; end < ends_.size(); ++end) {
        CarrierEnd &changed = runner.ends_[end];
        changed.acquired_ = ends_[end].acquired;
        changed.inserted_ = ends_[end].inserted;
        changed.held_ = ends_[end].held;
        changed.is_closed_ = ends_[end].is_closed;
    }
}

void RunnerPosition::put(test::Print &out, const PlanBody &plan, const Runner &runner) {
    out.put(runner.begun_).put(runner.done_).put(runner.is_ended_).put(runner.broken_.empty());
    for (const FrameInFlight &flight : runner.flights_)
        out.put(flight.number).put(flight.next).put(flight.ended_by).put(flight.alive_by).put(flight.about.number);
    each_value(plan, runner.options_.slots(), runner.pointers_,
               [&](int, int, const std::byte *at, size_t bytes) { out.put(std::span(at, bytes)); });
    for (const CarrierEnd &end : runner.ends_)
        out.put(end.held()).put(end.inserted()).put(end.is_closed_);
}

int64_t RunnerPosition::number_of_last(const Runner &runner) {
    return runner.flights_[static_cast<size_t>(runner.slot_of(runner.done_ - 1))].about.number;
}

namespace test {

namespace {

// All processes, from their first step.
class World {
public:
    // A state of all processes and lines.
    struct Position {
        std::vector<RunnerPosition> runners;
        Lines lines;
    };

    World(const WalkedJob &job, const Program &program, std::string &fault)
        : job_(job), program_(program), fault_(fault) {
        RunOptions options;
        options.frames = job.in_flight;
        options.is_stream = job.is_stream;
        options.timeout_ms = 1;
        for (int rank = 0; rank < program.processes(); ++rank)
            runners_.push_back(std::make_unique<Runner>(
                program.plan(rank), options, "walk",
                [&](const PlanBody &plan, const Carrier &carrier, const RunOptions &chosen) {
                    return make_line_end(lines_, plan, carrier, chosen, job.lines);
                }));
        for (const auto &runner : runners_)
            runner->bind();
        for (auto &[name, line] : lines_)
            for (size_t sink = 0; sink < line.sinks(); ++sink)
                arrivals_.emplace_back(&line, sink);
    }

    size_t actions() const { return runners_.size() + arrivals_.size(); }

    void act(size_t action) {
        if (action >= runners_.size()) {
            const auto &[line, sink] = arrivals_[action - runners_.size()];
            line->deliver(sink);
            return;
        }
        Runner &runner = *runners_[action];
        const int64_t done = RunnerPosition::done(runner);
        if ((!job_.is_stream && done == job_.frames) || is_broken(runner))
            return;
        try {
            runner.advance(job_.is_stream ? INT64_MAX : done + 1); // else one run after the other
        } catch (const Error &error) {
            const bool may_break = job_.fails() && is_broken(runner);
            if (error.code() != DRI_ERR_TIMEOUT && !may_break && fault_.empty()) // that is a wait
                fault_ = error.what();
        }
        // Of a stream they stay while younger frames are under way, else until the next run.
        if (!is_broken(runner) && (job_.is_stream || RunnerPosition::done(runner) != done))
            check_outputs(static_cast<int>(action));
    }

    Position position() const {
        Position all{{}, lines_};
        for (size_t rank = 0; rank < runners_.size(); ++rank)
            all.runners.emplace_back(program_.plan(static_cast<int>(rank)), *runners_[rank]);
        return all;
    }

    // Buffers keep their places.
    void restore(const Position &position) {
        for (auto one = position.lines.begin(); auto &[name, line] : lines_)
            line = one++->second;
        for (size_t rank = 0; rank < runners_.size(); ++rank)
            position.runners[rank].restore(program_.plan(static_cast<int>(rank)), *runners_[rank]);
    }

    uint64_t print() const {
        Print out;
        for (int rank = 0; rank < program_.processes(); ++rank)
            RunnerPosition::put(out, program_.plan(rank), *runners_[static_cast<size_t>(rank)]);
        for (const auto &[name, line] : lines_)
            line.put(out);
        return out.value();
    }

    // Where nobody can go on, all are done, or know that a call has failed.
    void check_end() {
        bool any_broken = false;
        for (size_t rank = 0; rank < runners_.size() && fault_.empty(); ++rank) {
            const Runner &runner = *runners_[rank];
            any_broken = any_broken || is_broken(runner);
            if (!is_broken(runner))
                check_done(static_cast<int>(rank), runner);
        }
        if (any_broken != job_.fails() && fault_.empty())
            fault_ = "nobody knows of the call that has failed";
    }

private:
    static bool is_broken(const Runner &runner) { return !RunnerPosition::broken(runner).empty(); }

    void check_done(int rank, const Runner &runner) {
        const int64_t done = RunnerPosition::done(runner);
        // A process that computes from constants alone may have made frames when the end comes.
        const bool is_behind = program_.loses_frames(rank)      ? done < 1 || done > job_.frames
                               : program_.is_of_constants(rank) ? done < job_.frames
                                                                : done != job_.frames;
        if (is_behind || RunnerPosition::is_ended(runner) != job_.is_stream)
            fault_ = fmt::format("process {} waits for ever after {} frames", rank, done);
    }

    void check_outputs(int rank) {
        const Runner &runner = *runners_[static_cast<size_t>(rank)];
        const int64_t done = RunnerPosition::done(runner);
        const GraphBody &body = program_.plan(rank).body();
        if (done == 0)
            return;
        const int64_t frame = program_.loses_frames(rank) ? RunnerPosition::number_of_last(runner) : done - 1;
        for (const auto &[name, node] : body.outputs) {
            if (!fault_.empty())
                return;
            const Number found = *static_cast<const Number *>(runner.output(name));
            if (found != expected(job_, std::stoul(name), frame))
                fault_ = fmt::format("output {} of process {} is wrong after {} frames", name, rank, done);
        }
    }

    const WalkedJob &job_;
    const Program &program_;
    std::string &fault_;
    Lines lines_;
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<std::pair<Line *, size_t>> arrivals_; // line and sink
};

// A state on the way to the one that is visited.
struct Visit {
    World::Position position;
    uint64_t print;
    size_t next = 0; // action
    bool can_go_on = false;
};

} // namespace

WalkFound walk_all(const WalkedJob &job) {
    WalkFound found;
    const Program program(job, found.fault);
    World world(job, program, found.fault);
    std::vector<Visit> way{{world.position(), world.print()}};
    std::unordered_set<uint64_t> known{way.back().print};
    for (bool is_there = true; !way.empty() && found.fault.empty();) {
        Visit &here = way.back();
        if (!is_there)
            world.restore(here.position);
        is_there = true;
        if (here.next == world.actions()) {
            if (!here.can_go_on) {
                ++found.ends;
                world.check_end();
            }
            way.pop_back();
            is_there = false;
            continue;
        }
        world.act(here.next++);
        const uint64_t print = world.print();
        if (print == here.print)
            continue;
        here.can_go_on = true;
        is_there = known.insert(print).second;
        if (is_there)
            way.push_back({world.position(), print});
    }
    found.states = known.size();
    return found;
}

} // namespace test
} // namespace dri::graph
