// Orders the steps: what needs no receive of its part comes before the first wait, a receive is waited for just
// before its first reader, and a carrier leaves as soon as all its nodes are there. Ports of streams leave behind
// all waits of their part: whatever ends the stream is known there, and all sources of a transfer end it after one
// frame.
#include "graph/frame_steps.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

class Ordering {
public:
    Ordering(const PlanBody &plan, const std::vector<Carrier> &carriers) : plan_(plan), carriers_(carriers) {
        out_.homes.resize(plan.body().nodes.size());
        carried_.resize(out_.homes.size());
        is_there_.resize(out_.homes.size());
        missing_.resize(carriers.size());
        is_acquired_.resize(carriers.size());
        is_waited_.resize(carriers.size());
    }

    FrameSteps take() {
        find_homes();
        for (int part = 0; part < static_cast<int>(plan_.parts().parts.size()); ++part)
            order_part(part);
        add_releases();
        note_last_wait();
        return std::move(out_);
    }

private:
    static size_t at(int index) { return static_cast<size_t>(index); }
    using Where = NodeHome::Where;

    void find_homes() {
        const GraphBody &body = plan_.body();
        for (const int node : plan_.reached().nodes) {
            const NodeKind kind = body.node(node).kind;
            out_.homes[at(node)].where = kind == NodeKind::input  ? Where::user
                                         : kind == NodeKind::data ? Where::constant
                                                                  : Where::memory;
        }
        for (size_t c = 0; c < carriers_.size(); ++c)
            for (const CarriedNode &one : carriers_[c].nodes) {
                NodeHome &home = out_.homes[at(one.node)];
                const NodeKind kind = body.node(one.node).kind;
                const bool is_home = !carriers_[c].is_source || kind == NodeKind::source ||
                                     (kind == NodeKind::value && home.where == Where::memory);
                if (is_home)
                    home = {Where::carrier, static_cast<int>(c), one.offset};
                if (carriers_[c].is_source) {
                    carried_[at(one.node)].push_back({static_cast<int>(c), one.offset});
                    ++missing_[c];
                }
            }
    }

    void add(StepKind kind, int index) { out_.steps.push_back({kind, part_, index}); }

    void acquire(int carrier) {
        if (is_acquired_[at(carrier)])
            return;
        is_acquired_[at(carrier)] = true;
        add(StepKind::acquire, carrier);
    }

    // A node has its value: it goes into the carriers that take it.
    void arrive(int node) {
        is_there_[at(node)] = true;
        for (const auto &[carrier, offset] : carried_[at(node)]) {
            const NodeHome &home = out_.homes[at(node)];
            if (home.where != Where::carrier || home.carrier != carrier || home.offset != offset) {
                acquire(carrier);
                add(StepKind::copy, static_cast<int>(out_.copies.size()));
                out_.copies.push_back(
                    {node, carrier, offset, plan_.body().bytes_of(node), home.where == Where::constant});
            }
            if (--missing_[at(carrier)] > 0)
                continue;
            if (carriers_[at(carrier)].may_close)
                held_back_.push_back(carrier);
            else
                add(StepKind::insert, carrier);
        }
    }

    void wait(int carrier) {
        if (is_waited_[at(carrier)])
            return;
        is_waited_[at(carrier)] = true;
        add(StepKind::wait, carrier);
        for (const CarriedNode &one : carriers_[at(carrier)].nodes)
            arrive(one.node);
    }

    void call(int call) {
        const GraphCall &called = plan_.body().call(call);
        for (const int out : called.out)
            if (out_.homes[at(out)].where == Where::carrier)
                acquire(out_.homes[at(out)].carrier);
        add(StepKind::call, call);
        for (const int out : called.out)
            arrive(out);
    }

    bool is_ready(int call) const {
        const auto &in = plan_.body().call(call).in;
        return std::all_of(in.begin(), in.end(), [this](int node) { return is_there_[at(node)]; });
    }

    void order_part(int part) {
        part_ = part;
        add(StepKind::begin, part);
        if (part == 0)
            for (const int node : plan_.reached().nodes)
                if (const Where where = out_.homes[at(node)].where;
                    where == Where::user || where == Where::constant)
                    arrive(node);
        std::vector<int> later;
        for (const int one : plan_.reached().calls)
            if (plan_.parts().call_part[at(one)] == part) {
                if (is_ready(one))
                    call(one);
                else
                    later.push_back(one);
            }
        for (const int one : later) {
            for (const int in : plan_.body().call(one).in)
                if (!is_there_[at(in)])
                    wait(out_.homes[at(in)].carrier);
            call(one);
        }
        for (size_t c = 0; c < carriers_.size(); ++c)
            if (!carriers_[c].is_source && carriers_[c].part == part)
                wait(static_cast<int>(c));
        insert_held_back();
    }

    void insert_held_back() {
        std::vector<int> later;
        for (const int carrier : held_back_)
            if (carriers_[at(carrier)].part <= part_)
                add(StepKind::insert, carrier);
            else
                later.push_back(carrier);
        held_back_ = std::move(later);
    }

    // A sink gives its buffer back behind its last reader, unless that is the user.
    void add_releases() {
        std::vector<int> last(carriers_.size(), -1);
        const auto read = [&](int node, int step) {
            const NodeHome &home = out_.homes[at(node)];
            if (home.where == Where::carrier && !carriers_[at(home.carrier)].is_source)
                last[at(home.carrier)] = step;
        };
        for (int step = 0; step < static_cast<int>(out_.steps.size()); ++step) {
            const FrameStep &one = out_.steps[at(step)];
            if (one.kind == StepKind::wait)
                last[at(one.index)] = step;
            else if (one.kind == StepKind::copy)
                read(out_.copies[at(one.index)].node, step);
            else if (one.kind == StepKind::call)
                for (const int in : plan_.body().call(one.index).in)
                    read(in, step);
        }
        std::vector<std::pair<int, int>> releases; // step, carrier
        for (size_t c = 0; c < carriers_.size(); ++c)
            if (last[c] >= 0 && !carriers_[c].holds_output)
                releases.emplace_back(last[c], static_cast<int>(c));
        std::sort(releases.begin(), releases.end());
        std::vector<FrameStep> steps;
        auto next = releases.begin();
        for (int step = 0; step < static_cast<int>(out_.steps.size()); ++step) {
            steps.push_back(out_.steps[at(step)]);
            for (; next != releases.end() && next->first == step; ++next)
                steps.push_back({StepKind::release, steps.back().part, next->second});
        }
        out_.steps = std::move(steps);
    }

    void note_last_wait() {
        for (size_t step = 0; step < out_.steps.size(); ++step)
            if (out_.steps[step].kind == StepKind::wait)
                out_.last_wait = step;
    }

    const PlanBody &plan_;
    const std::vector<Carrier> &carriers_;
    FrameSteps out_;
    std::vector<std::vector<std::pair<int, int64_t>>> carried_; // per node: carriers that take it, with offsets
    std::vector<bool> is_there_, is_acquired_, is_waited_;
    std::vector<int> held_back_; // ports that are complete
    std::vector<int> missing_;   // per carrier: nodes that are not there yet
    int part_ = 0;
};

} // namespace

FrameSteps steps_of(const PlanBody &plan, const std::vector<Carrier> &carriers) {
    return Ordering(plan, carriers).take();
}

} // namespace dri::graph
