// Places nodes as late as the sends that depend on them allow, so that sends wait for nothing else.
#include "graph/cut.hpp"

#include "base/sorted.hpp"

#include <algorithm>
#include <map>

namespace dri::graph {

namespace {

class Placing {
public:
    Placing(const GraphBody &body, const Reached &reached, const Operations &operations, int rank)
        : body_(body), reached_(reached), operations_(operations), rank_(rank) {
        cut_.parts = parts_of(operations, rank);
        last_ = static_cast<int>(cut_.parts.size()) - 1;
        none_ = last_ + 1;
        cut_.node_part.assign(body.nodes.size(), -1);
        cut_.call_part.assign(body.calls.size(), -1);
        cut_.is_stored.assign(body.nodes.size(), false);
        cut_.is_promoted.assign(body.nodes.size(), false);
        needed_.assign(body.nodes.size(), none_);
    }

    ProcessCut take() {
        find_stored();
        find_needed();
        place_stored();
        place_endings();
        place_calls();
        find_reads();
        give_names();
        return std::move(cut_);
    }

private:
    static size_t at(int index) { return static_cast<size_t>(index); }

    int part_of_slot(int64_t slot) const {
        const auto found = std::lower_bound(cut_.parts.begin(), cut_.parts.end(), slot,
                                            [](const PartOperations &part, int64_t s) { return part.slot < s; });
        return static_cast<int>(found - cut_.parts.begin());
    }
    int part_of_send(const OperationName &name) const {
        return part_of_slot(operations_.batch(operations_.find(name)));
    }
    int part_of_recv(const OperationName &name) const {
        return part_of_slot(operations_.batch(operations_.find(name)) + 1);
    }

    void find_stored() {
        for (const auto *list : {&reached_.recvs, &reached_.sinks, &reached_.sources})
            for (const int node : *list)
                cut_.is_stored[at(node)] = true;
        for (const int send : reached_.sends)
            cut_.is_stored[at(body_.node(send).of)] = true;
        for (const auto &[name, node] : body_.outputs)
            cut_.is_stored[at(body_.value_of(node))] = true;
        for (const int node : reached_.nodes)
            if (body_.node(node).is_marked)
                cut_.is_stored[at(node)] = true;
    }

    // The first part whose sends depend on each node.
    void find_needed() {
        const auto need = [this](int node, int part) { needed_[at(node)] = std::min(needed_[at(node)], part); };
        for (const int send : reached_.sends) {
            const GraphNode &node = body_.node(send);
            need(node.of, part_of_send({rank_, node.peer, node.name}));
        }
        for (const int source : reached_.sources)
            need(source, part_of_send({-1, -1, body_.node(source).name}));
        for (auto call = reached_.calls.rbegin(); call != reached_.calls.rend(); ++call) {
            int part = none_;
            for (const int out : body_.call(*call).out)
                part = std::min(part, needed_[at(out)]);
            for (const int in : body_.call(*call).in)
                need(in, part);
        }
    }

    void place_stored() {
        for (const int node : reached_.nodes)
            if (cut_.is_stored[at(node)])
                cut_.node_part[at(node)] = std::min(needed_[at(node)], last_);
        for (const int recv : reached_.recvs)
            cut_.node_part[at(recv)] = part_of_recv({body_.node(recv).peer, rank_, body_.node(recv).name});
        for (const int sink : reached_.sinks)
            cut_.node_part[at(sink)] = part_of_recv({-1, -1, body_.node(sink).name});
    }

    // Calls without outputs are where the last of their inputs is.
    void place_endings() {
        std::vector<int> available(body_.nodes.size());
        for (const int node : reached_.nodes)
            available[at(node)] = std::max(cut_.node_part[at(node)], 0);
        for (const int call : reached_.calls) {
            int part = 0;
            for (const int in : body_.call(call).in)
                part = std::max(part, available[at(in)]);
            for (const int out : body_.call(call).out)
                available[at(out)] = std::max(available[at(out)], part);
            if (body_.call(call).out.empty())
                cut_.call_part[at(call)] = part;
        }
    }

    // A call is where the first of its outputs is needed, and so are all of them.
    void place_calls() {
        std::vector<int> read(body_.nodes.size(), none_); // the first part that reads each node
        for (auto call = reached_.calls.rbegin(); call != reached_.calls.rend(); ++call) {
            int &part = cut_.call_part[at(*call)];
            if (!body_.call(*call).out.empty()) {
                part = last_;
                for (const int out : body_.call(*call).out)
                    part =
                        std::min({part, read[at(out)], cut_.is_stored[at(out)] ? cut_.node_part[at(out)] : last_});
            }
            for (const int out : body_.call(*call).out)
                cut_.node_part[at(out)] = part;
            for (const int in : body_.call(*call).in)
                read[at(in)] = std::min(read[at(in)], part);
        }
    }

    bool is_received(int node) const {
        return body_.node(node).kind == NodeKind::recv || body_.node(node).kind == NodeKind::sink;
    }

    void find_reads() {
        cut_.reads.resize(cut_.parts.size());
        const auto read = [this](int node, int part) {
            const int own = cut_.node_part[at(node)];
            if (own < 0 || (own == part && !is_received(node)))
                return;
            cut_.reads[at(part)].push_back(node);
            cut_.is_promoted[at(node)] = cut_.is_promoted[at(node)] || own != part;
        };
        for (const int call : reached_.calls)
            for (const int in : body_.call(call).in)
                read(in, cut_.call_part[at(call)]);
        for (const int send : reached_.sends)
            read(body_.node(send).of, part_of_send({rank_, body_.node(send).peer, body_.node(send).name}));
        for (const auto *list : {&reached_.recvs, &reached_.sinks})
            for (const int node : *list)
                read(node, cut_.node_part[at(node)]);
        for (std::vector<int> &nodes : cut_.reads)
            nodes = sorted_once(std::move(nodes));
    }

    void give_names() {
        cut_.names.resize(body_.nodes.size());
        for (const auto &[name, node] : body_.outputs)
            if (std::string &own = cut_.names[at(body_.value_of(node))];
                own.empty() && !is_received(body_.value_of(node)))
                own = name;
        int64_t count = 0;
        const auto give = [&](int node) {
            while (cut_.names[at(node)].empty())
                if (std::string made = fmt::format("_dri_{}", count++); !body_.outputs.contains(made))
                    cut_.names[at(node)] = std::move(made);
        };
        for (const auto &[operation, node] : nodes_of_operations())
            give(node);
        for (const int node : reached_.nodes)
            if (cut_.is_promoted[at(node)])
                give(node);
    }

    // The nodes that this process sends or receives, in the order of operations.
    std::multimap<OperationName, int> nodes_of_operations() const {
        std::multimap<OperationName, int> found;
        for (const int send : reached_.sends)
            found.emplace(OperationName{rank_, body_.node(send).peer, body_.node(send).name}, body_.node(send).of);
        for (const int recv : reached_.recvs)
            found.emplace(OperationName{body_.node(recv).peer, rank_, body_.node(recv).name}, recv);
        for (const auto *list : {&reached_.sources, &reached_.sinks})
            for (const int node : *list)
                found.emplace(OperationName{-1, -1, body_.node(node).name}, node);
        return found;
    }

    const GraphBody &body_;
    const Reached &reached_;
    const Operations &operations_;
    int rank_, last_ = 0, none_ = 0;
    std::vector<int> needed_; // per node
    ProcessCut cut_;
};

} // namespace

std::vector<PartOperations> parts_of(const Operations &operations, int rank) {
    std::map<int64_t, PartOperations> slots;
    for (int64_t at = 0; at < operations.count(); ++at) {
        if (operations.is_sent_by(at, rank))
            slots[operations.batch(at)].sends.push_back(at);
        if (operations.is_received_by(at, rank))
            slots[operations.batch(at) + 1].recvs.push_back(at);
    }
    if (slots.empty())
        return {PartOperations{}};
    std::vector<PartOperations> parts;
    for (auto &[slot, operations_of_slot] : slots) {
        operations_of_slot.slot = slot;
        parts.push_back(std::move(operations_of_slot));
    }
    return parts;
}

ProcessCut cut(const GraphBody &body, const Reached &reached, const Operations &operations, int rank) {
    return Placing(body, reached, operations, rank).take();
}

} // namespace dri::graph
