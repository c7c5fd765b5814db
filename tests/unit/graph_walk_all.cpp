// Walks through all orders of small graphs: each state is reached once, by the steps that have led to it.
#include "graph_walk.hpp"

#include "graph/telling.hpp"

#include <algorithm>
#include <cstdint>
#include <list>

namespace dri::graph {

void RunnerPosition::put(Writer &out, const PlanBody &plan, const Runner &runner) {
    out.put(runner.begun_).put(runner.done_).put(runner.is_ended_);
    for (int slot = 0; slot < runner.options_.slots(); ++slot) {
        const FrameInFlight &flight = runner.flights_[static_cast<size_t>(slot)];
        out.put(flight.number).put(static_cast<int64_t>(flight.next)).put(flight.ended_by).put(flight.alive_by);
        for (const int node : plan.reached().nodes)
            if (const std::byte *const at = runner.pointers_.address(slot, node))
                out.put(std::span<const std::byte>(at, static_cast<size_t>(plan.body().bytes_of(node))));
    }
    for (const CarrierEnd &end : runner.ends_)
        out.put(end.held()).put(end.inserted());
}

namespace test {

namespace {

using Number = uint64_t;

// What a value is: of the frame, its place in the program, and the numbers that it is computed from.
Number mixed(size_t value, int64_t frame, const std::vector<Number> &in) {
    Number number = 0x9e3779b97f4a7c15u * (value + 1) + static_cast<Number>(frame + 1);
    for (const Number one : in)
        number = (number ^ one) * 0xff51afd7ed558ccdu + (number >> 29);
    return number;
}

// The evaluation in one place.
Number expected(const WalkedJob &job, size_t value, int64_t frame) {
    const WalkedValue &what = job.values[value];
    std::vector<Number> in;
    for (const int one : what.of)
        in.push_back(expected(job, static_cast<size_t>(one), frame));
    return mixed(value, what.is_constant || !what.of.empty() ? 0 : frame, in);
}

// A call of the walk, and what it finds.
struct WalkedCall {
    const WalkedJob *job = nullptr;
    size_t value = 0;
    std::string *fault = nullptr;

    static int run(void *context, DRI_Call *call) {
        const auto &own = *static_cast<const WalkedCall *>(context);
        const WalkedValue &what = own.job->values[own.value];
        const auto elements = static_cast<size_t>(what.elements);
        if (what.of.empty() && own.job->is_stream && call->frame == own.job->frames)
            return DRI_END_OF_STREAM;
        std::vector<Number> in;
        for (int k = 0; k < call->nin; ++k) {
            in.push_back(static_cast<const Number *>(call->in[k])[0]);
            const auto source = static_cast<size_t>(what.of[static_cast<size_t>(k)]);
            if (in.back() != expected(*own.job, source, call->frame) && own.fault->empty())
                *own.fault =
                    fmt::format("value {} reads a wrong value {} in frame {}", own.value, source, call->frame);
        }
        std::fill_n(static_cast<Number *>(call->out[0]), elements,
                    mixed(own.value, in.empty() ? call->frame : 0, in));
        call->about->time_ns = 1;
        return DRI_SUCCESS;
    }
};

// The graphs of all processes, and their plans.
class Program {
public:
    explicit Program(const WalkedJob &job, std::string &fault) : job_(job) {
        for (const WalkedValue &value : job.values)
            processes_ = std::max(processes_, value.owner + 1);
        for (int rank = 0; rank < processes_; ++rank)
            bodies_.push_back(body_of(rank, fault));
        std::vector<ToldGraph> all;
        for (int rank = 0; rank < processes_; ++rank)
            all.push_back(
                tell(*bodies_[static_cast<size_t>(rank)], reach(*bodies_[static_cast<size_t>(rank)]), rank));
        for (int rank = 0; rank < processes_; ++rank) {
            const auto &body = bodies_[static_cast<size_t>(rank)];
            plans_.push_back(std::make_unique<PlanBody>(body, reach(*body), all, rank));
        }
    }
    int processes() const { return processes_; }
    // Whether everything on a process comes from constants.
    bool is_of_constants(int rank) const {
        for (size_t i = 0; i < job_.values.size(); ++i)
            if (job_.values[i].owner == rank && !is_of_constants(i))
                return false;
        return true;
    }
    const PlanBody &plan(int rank) const { return *plans_[static_cast<size_t>(rank)]; }

private:
    static int add(GraphBody &body, NodeKind kind, int elements) {
        GraphNode &made = body.nodes.emplace_back();
        made.kind = kind;
        made.shape = body.shapes.add({0, 8, 8, {elements}});
        return static_cast<int>(body.nodes.size()) - 1;
    }

    std::shared_ptr<GraphBody> body_of(int rank, std::string &fault) {
        auto body = std::make_shared<GraphBody>();
        std::map<size_t, int> here; // values that are on this process
        for (size_t i = 0; i < job_.values.size(); ++i) {
            const WalkedValue &value = job_.values[i];
            const std::string name = std::to_string(i);
            if (value.owner != rank) {
                if (is_read_by(i, rank)) {
                    here[i] = add(*body, NodeKind::recv, value.elements);
                    body->nodes.back().peer = value.owner;
                    body->nodes.back().name = name;
                    if (job_.keeps_all)
                        body->outputs[name] = here[i];
                }
                continue;
            }
            here[i] = value.is_constant ? constant(*body, i) : computed(*body, i, here, fault);
            if (job_.keeps_all || !is_read(i))
                body->outputs[name] = here[i];
            for (int q = 0; q < processes_; ++q)
                if (q != rank && is_read_by(i, q)) {
                    const int send = add(*body, NodeKind::send, value.elements);
                    body->nodes.back().peer = q;
                    body->nodes.back().name = name;
                    body->nodes.back().of = here[i];
                    body->outputs[fmt::format("{} to {}", name, q)] = send;
                }
        }
        return body;
    }

    int constant(GraphBody &body, size_t i) {
        const int elements = job_.values[i].elements;
        const auto &kept = constants_.emplace_back(static_cast<size_t>(elements), expected(job_, i, 0));
        const int node = add(body, NodeKind::data, elements);
        body.nodes.back().data = kept.data();
        return node;
    }

    int computed(GraphBody &body, size_t i, const std::map<size_t, int> &here, std::string &fault) {
        const int node = add(body, NodeKind::value, job_.values[i].elements);
        body.nodes.back().writer = static_cast<int>(body.calls.size());
        GraphCall &call = body.calls.emplace_back();
        call.name = std::to_string(i);
        call.fn = WalkedCall::run;
        call.context = &calls_.emplace_back(WalkedCall{&job_, i, &fault});
        call.out = {node};
        for (const int one : job_.values[i].of)
            call.in.push_back(here.at(static_cast<size_t>(one)));
        return node;
    }

    bool is_read_by(size_t i, int rank) const {
        return std::any_of(job_.values.begin(), job_.values.end(), [&](const WalkedValue &value) {
            return value.owner == rank && std::count(value.of.begin(), value.of.end(), static_cast<int>(i)) > 0;
        });
    }

    bool is_of_constants(size_t i) const {
        const WalkedValue &value = job_.values[i];
        return value.is_constant ||
               (!value.of.empty() && std::all_of(value.of.begin(), value.of.end(), [this](int one) {
                   return is_of_constants(static_cast<size_t>(one));
               }));
    }

    bool is_read(size_t i) const {
        return std::any_of(job_.values.begin(), job_.values.end(), [&](const WalkedValue &value) {
            return std::count(value.of.begin(), value.of.end(), static_cast<int>(i)) > 0;
        });
    }

    const WalkedJob &job_;
    int processes_ = 0;
    std::list<WalkedCall> calls_;
    std::list<std::vector<Number>> constants_;
    std::vector<std::shared_ptr<GraphBody>> bodies_;
    std::vector<std::unique_ptr<PlanBody>> plans_;
};

// All processes, from their first step.
class World {
public:
    World(const WalkedJob &job, const Program &program, std::string &fault)
        : job_(job), program_(program), fault_(fault) {
        RunOptions options;
        options.frames = job.in_flight;
        options.is_stream = job.is_stream;
        options.timeout_ms = 1;
        for (int rank = 0; rank < program.processes(); ++rank)
            runners_.push_back(
                std::make_unique<Runner>(program.plan(rank), options, "walk",
                                         [&](const PlanBody &, const Carrier &carrier, const RunOptions &chosen) {
                                             return make_line_end(lines_, carrier, chosen, job.lines);
                                         }));
        for (const auto &runner : runners_)
            runner->bind();
        for (auto &[name, line] : lines_)
            for (size_t sink = 0; sink < line.sinks(); ++sink)
                arrivals_.emplace_back(&line, sink);
    }

    size_t actions() const { return runners_.size() + arrivals_.size(); }

    void act(size_t action, bool is_known = false) {
        if (action >= runners_.size()) {
            const auto &[line, sink] = arrivals_[action - runners_.size()];
            line->deliver(sink);
            return;
        }
        Runner &runner = *runners_[action];
        const int64_t done = RunnerPosition::done(runner);
        if (!job_.is_stream && done == job_.frames)
            return;
        try {
            runner.advance(job_.is_stream ? INT64_MAX : done + 1); // else one run after the other
        } catch (const Error &error) {
            if (error.code() != DRI_ERR_TIMEOUT && fault_.empty()) // that is a wait
                fault_ = error.what();
        }
        // Of a stream they stay while younger frames are under way, else until the next run.
        if (!is_known && (job_.is_stream || RunnerPosition::done(runner) != done))
            check_outputs(static_cast<int>(action));
    }

    Digest state() const {
        Writer out;
        for (int rank = 0; rank < program_.processes(); ++rank)
            RunnerPosition::put(out, program_.plan(rank), *runners_[static_cast<size_t>(rank)]);
        for (const auto &[name, line] : lines_)
            line.put(out);
        return digest(out.take());
    }

    // Where nobody can go on, all are done.
    void check_end() {
        for (size_t rank = 0; rank < runners_.size() && fault_.empty(); ++rank) {
            const int64_t done = RunnerPosition::done(*runners_[rank]);
            // A process that computes from constants alone may have made frames when the end comes.
            const bool is_behind =
                program_.is_of_constants(static_cast<int>(rank)) ? done < job_.frames : done != job_.frames;
            if (is_behind || RunnerPosition::is_ended(*runners_[rank]) != job_.is_stream)
                fault_ = fmt::format("process {} waits for ever after {} frames", rank, done);
        }
    }

private:
    void check_outputs(int rank) {
        const Runner &runner = *runners_[static_cast<size_t>(rank)];
        const int64_t done = RunnerPosition::done(runner);
        const GraphBody &body = program_.plan(rank).body();
        for (const auto &[name, node] : body.outputs) {
            if (done == 0 || !fault_.empty())
                return;
            const Number found = *static_cast<const Number *>(runner.output(name));
            if (found != expected(job_, std::stoul(name), done - 1))
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

} // namespace

WalkFound walk_all(const WalkedJob &job) {
    WalkFound found;
    const Program program(job, found.fault);
    std::set<Digest> known;
    std::vector<std::string> open{""}; // the actions that lead to a state
    while (!open.empty() && found.fault.empty()) {
        const std::string path = open.back();
        open.pop_back();
        ++found.states;
        std::unique_ptr<World> world;
        Digest before;
        bool can_go_on = false;
        for (size_t action = 0; (!world || action < world->actions()) && found.fault.empty(); ++action) {
            if (!world) {
                world = std::make_unique<World>(job, program, found.fault);
                for (const char step : path)
                    world->act(static_cast<size_t>(step), true);
                before = world->state();
                if (action >= world->actions())
                    break;
            }
            world->act(action);
            const Digest after = world->state();
            if (after == before)
                continue;
            can_go_on = true;
            if (known.insert(after).second)
                open.push_back(path + static_cast<char>(action));
            world.reset();
        }
        if (!can_go_on && found.fault.empty()) {
            ++found.ends;
            world->check_end();
        }
    }
    return found;
}

} // namespace test
} // namespace dri::graph
