// Finds what each send needs. Nodes share what they need as long as nothing is added, so that memory is linear.
#include "graph/telling.hpp"

#include <algorithm>
#include <map>

namespace dri::graph {

namespace {

// Sets of received nodes that nodes depend on. A set is a received node or the union of others.
class NeedSets {
public:
    NeedSets(const GraphBody &body, const Reached &reached) : body_(body), of_node_(body.nodes.size()) {
        sets_.emplace_back(); // 0: nothing
        for (const auto *list : {&reached.recvs, &reached.sinks})
            for (const int node : *list) {
                of_node_[static_cast<size_t>(node)] = static_cast<int>(sets_.size());
                sets_.push_back({received_++, {}});
            }
        for (const int call : reached.calls) {
            const int set = unite(body.call(call).in);
            for (const int out : body.call(call).out)
                of_node_[static_cast<size_t>(out)] = set;
        }
        seen_.resize(sets_.size(), -1);
    }

    // The received nodes behind a node, in rising order.
    std::vector<int> needs(int node) {
        std::vector<int> found;
        path_.assign(1, of_node_[static_cast<size_t>(node)]);
        ++walk_;
        while (!path_.empty()) {
            const auto set = static_cast<size_t>(path_.back());
            path_.pop_back();
            if (std::exchange(seen_[set], walk_) == walk_)
                continue;
            if (sets_[set].received >= 0)
                found.push_back(sets_[set].received);
            path_.insert(path_.end(), sets_[set].others.begin(), sets_[set].others.end());
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    struct Set {
        int received = -1;
        std::vector<int> others{};
    };

    int unite(const std::vector<int> &nodes) {
        std::vector<int> sets;
        for (const int node : nodes)
            if (const int set = of_node_[static_cast<size_t>(node)]; set != 0)
                sets.push_back(set);
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        if (sets.empty())
            return 0;
        if (sets.size() == 1)
            return sets.front();
        sets_.push_back({-1, std::move(sets)});
        return static_cast<int>(sets_.size()) - 1;
    }

    const GraphBody &body_;
    std::vector<int> of_node_, seen_, path_;
    std::vector<Set> sets_;
    int received_ = 0, walk_ = 0;
};

ToldPort tell_port(const GraphBody &body, int node, int rank) {
    const GraphPort &port = body.port_of(node);
    ToldPort told;
    told.name = body.node(node).name;
    told.whole = port.whole;
    told.converts = port.converts();
    told.first_rank = port.ranks.front();
    Writer ranks;
    ranks.put_all(port.ranks);
    told.group = digest(ranks.take());
    if (told.first_rank == rank)
        told.ranks = port.ranks;
    return told;
}

} // namespace

ToldGraph tell(const GraphBody &body, const Reached &reached, int rank) {
    ToldGraph told;
    told.rank = rank;
    NeedSets sets(body, reached);
    std::map<int, int> first; // of the sends of a node
    for (const int send : reached.sends) {
        const GraphNode &node = body.node(send);
        const int data = first.try_emplace(node.of, static_cast<int>(told.sends.size())).first->second;
        told.sends.push_back(
            {node.peer, node.name, body.shapes.at(body.node(node.of).shape), data, sets.needs(node.of)});
    }
    for (const int recv : reached.recvs) {
        const GraphNode &node = body.node(recv);
        told.recvs.push_back({node.peer, node.name, body.shapes.at(node.shape)});
    }
    for (const int source : reached.sources) {
        told.sources.push_back(tell_port(body, source, rank));
        told.sources.back().needs = sets.needs(source);
    }
    for (const int sink : reached.sinks) {
        told.sinks.push_back(tell_port(body, sink, rank));
        if (body.port_of(sink).drops() && reached.sinks.size() + reached.recvs.size() > 1)
            fail(DRI_ERR_UNSUPPORTED,
                 "the sink port '{}' drops frames, so it must be the only one that this process receives",
                 body.node(sink).name);
    }
    return told;
}

} // namespace dri::graph
