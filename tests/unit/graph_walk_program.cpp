// Builds the graphs of a job.
#include "graph_walk_program.hpp"

#include "graph/telling.hpp"

#include <algorithm>

namespace dri::graph::test {

namespace {

// What a value is: of the frame, its place in the program, and the numbers that it is computed from.
Number mixed(size_t value, int64_t frame, const std::vector<Number> &in) {
    Number number = 0x9e3779b97f4a7c15u * (value + 1) + static_cast<Number>(frame + 1);
    for (const Number one : in)
        number = (number ^ one) * 0xff51afd7ed558ccdu + (number >> 29);
    return number;
}

int add_node(GraphBody &body, NodeKind kind, int elements) {
    GraphNode &made = body.nodes.emplace_back();
    made.kind = kind;
    made.shape = body.shapes.add({0, 8, 8, {elements}});
    return static_cast<int>(body.nodes.size()) - 1;
}

} // namespace

Number expected(const WalkedJob &job, size_t value, int64_t frame) {
    const WalkedValue &what = job.values[value];
    std::vector<Number> in;
    for (const int one : what.of)
        in.push_back(expected(job, static_cast<size_t>(one), frame));
    return mixed(value, what.is_constant || !what.of.empty() ? 0 : frame, in);
}

int WalkedCall::run(void *context, DRI_Call *call) {
    const auto &own = *static_cast<const WalkedCall *>(context);
    const WalkedValue &what = own.job->values[own.value];
    if (what.of.empty() && own.job->is_stream && call->frame == own.job->frames)
        return DRI_END_OF_STREAM;
    if (call->frame == what.fails_in)
        return DRI_ERR_LIMIT;
    // Frames that were lost leave gaps.
    const int64_t frame = own.job->has_drops() && !what.of.empty() ? call->about->number : call->frame;
    std::vector<Number> in;
    for (int k = 0; k < call->nin; ++k) {
        in.push_back(static_cast<const Number *>(call->in[k])[0]);
        const auto source = static_cast<size_t>(what.of[static_cast<size_t>(k)]);
        const bool is_right = in.back() == expected(*own.job, source, frame) && frame >= call->frame;
        if (!is_right && own.fault->empty())
            *own.fault =
                fmt::format("value {} reads a wrong value {} in frame {}", own.value, source, call->frame);
    }
    if (call->nout > 0)
        std::fill_n(static_cast<Number *>(call->out[0]), static_cast<size_t>(what.elements),
                    mixed(own.value, in.empty() ? call->frame : 0, in));
    call->about->time_ns = 1;
    return DRI_SUCCESS;
}

Program::Program(const WalkedJob &job, std::string &fault) : job_(job) {
    for (const WalkedValue &value : job.values)
        processes_ = std::max(processes_, value.owner + 1);
    for (int rank = 0; rank < processes_; ++rank)
        bodies_.push_back(body_of(rank, fault));
    std::vector<ToldGraph> all;
    for (int rank = 0; rank < processes_; ++rank)
        all.push_back(tell(*bodies_[static_cast<size_t>(rank)], reach(*bodies_[static_cast<size_t>(rank)]), rank));
    for (int rank = 0; rank < processes_; ++rank) {
        const auto &body = bodies_[static_cast<size_t>(rank)];
        plans_.push_back(std::make_unique<PlanBody>(body, reach(*body), all, rank));
    }
}

bool Program::is_of_constants(int rank) const {
    for (size_t i = 0; i < job_.values.size(); ++i)
        if (job_.values[i].owner == rank && !is_of_constants(i))
            return false;
    return true;
}

bool Program::loses_frames(int rank) const {
    for (const WalkedValue &value : job_.values)
        if (value.owner == rank)
            for (const int one : value.of)
                if (job_.values[static_cast<size_t>(one)].drops)
                    return true;
    return false;
}

std::shared_ptr<GraphBody> Program::body_of(int rank, std::string &fault) {
    auto body = std::make_shared<GraphBody>();
    Here here;
    for (size_t i = 0; i < job_.values.size(); ++i)
        if (job_.values[i].owner == rank)
            compute(*body, i, here, fault);
        else
            receive(*body, i, rank, here);
    return body;
}

void Program::receive(GraphBody &body, size_t i, int rank, Here &here) {
    const WalkedValue &value = job_.values[i];
    const std::vector<int> all = readers(i);
    if (!std::binary_search(all.begin(), all.end(), rank))
        return;
    if (value.by_port) {
        here[i] = port(body, i, DRI_SINK);
    } else {
        here[i] = add_node(body, NodeKind::recv, value.elements);
        body.nodes.back().peer = value.owner;
        body.nodes.back().name = std::to_string(i);
    }
    if (job_.keeps_all)
        body.outputs[std::to_string(i)] = here[i];
}

void Program::compute(GraphBody &body, size_t i, Here &here, std::string &fault) {
    const WalkedValue &value = job_.values[i];
    if (value.is_constant) {
        here[i] = constant(body, i);
    } else {
        const int node =
            value.by_port ? port(body, i, DRI_SOURCE) : add_node(body, NodeKind::value, value.elements);
        here[i] = node;
        body.nodes.back().writer = static_cast<int>(body.calls.size());
        GraphCall &call = body.calls.emplace_back();
        call.name = std::to_string(i);
        call.fn = WalkedCall::run;
        call.context = &calls_.emplace_back(WalkedCall{&job_, i, &fault});
        call.out = {node};
        for (const int one : value.of)
            call.in.push_back(here.at(static_cast<size_t>(one)));
    }
    const bool is_read = std::any_of(job_.values.begin(), job_.values.end(), [i](const WalkedValue &one) {
        return std::count(one.of.begin(), one.of.end(), static_cast<int>(i)) > 0;
    });
    if (job_.keeps_all || !is_read)
        body.outputs[std::to_string(i)] = here[i];
    if (!value.by_port)
        for (const int q : readers(i))
            send(body, i, q, here[i]);
}

void Program::send(GraphBody &body, size_t i, int rank, int node) {
    const int made = add_node(body, NodeKind::send, job_.values[i].elements);
    body.nodes.back().peer = rank;
    body.nodes.back().name = std::to_string(i);
    body.nodes.back().of = node;
    body.outputs[fmt::format("{} to {}", i, rank)] = made;
}

int Program::constant(GraphBody &body, size_t i) {
    const int elements = job_.values[i].elements;
    const auto &kept = constants_.emplace_back(static_cast<size_t>(elements), expected(job_, i, 0));
    const int node = add_node(body, NodeKind::data, elements);
    body.nodes.back().data = kept.data();
    return node;
}

int Program::port(GraphBody &body, size_t i, DRI_Role role) {
    const WalkedValue &value = job_.values[i];
    const bool is_source = role == DRI_SOURCE;
    const int node = add_node(body, is_source ? NodeKind::source : NodeKind::sink, value.elements);
    body.nodes.back().name = std::to_string(i);
    body.nodes.back().port = static_cast<int>(body.ports.size());
    GraphPort &made = body.ports.emplace_back();
    made.node = node;
    made.role = role;
    made.ranks = is_source ? std::vector<int>{value.owner} : readers(i);
    made.whole = {0, 8, 8, {value.elements}};
    if (!is_source && value.drops)
        made.attributes[DRI_ATTR_ON_FULL] = DRI_DROP;
    return node;
}

std::vector<int> Program::readers(size_t i) const {
    std::vector<int> found;
    for (int rank = 0; rank < processes_; ++rank)
        if (rank != job_.values[i].owner &&
            std::any_of(job_.values.begin(), job_.values.end(), [&](const WalkedValue &value) {
                return value.owner == rank &&
                       std::count(value.of.begin(), value.of.end(), static_cast<int>(i)) > 0;
            }))
            found.push_back(rank);
    return found;
}

bool Program::is_of_constants(size_t i) const {
    const WalkedValue &value = job_.values[i];
    return value.is_constant ||
           (!value.of.empty() && std::all_of(value.of.begin(), value.of.end(), [this](int one) {
               return is_of_constants(static_cast<size_t>(one));
           }));
}

} // namespace dri::graph::test
