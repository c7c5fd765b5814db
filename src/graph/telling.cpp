// Finds what each send needs: a received node, or a union of what others need. Nodes share it as long as nothing
// is added, so that memory is linear also where everything depends on all that came before.
#include "graph/telling.hpp"

#include <algorithm>
#include <map>

namespace dri::graph {

namespace {

// What nodes need, by numbers as in ToldGraph.
class Needs {
public:
    Needs(const GraphBody &body, const Reached &reached)
        : of_node_(body.nodes.size(), -1), begins_(of_node_.size()) {
        for (const auto *list : {&reached.recvs, &reached.sinks})
            for (const int node : *list)
                of_node_[static_cast<size_t>(node)] = received_++;
        for (const int call : reached.calls) {
            const std::vector<int> &in = body.call(call).in;
            const int needs = unite(in);
            const bool is_begun =
                in.empty() || std::any_of(in.begin(), in.end(), [this](int node) { return begins(node); });
            for (const int out : body.call(call).out) {
                of_node_[static_cast<size_t>(out)] = needs;
                begins_[static_cast<size_t>(out)] = is_begun;
            }
        }
    }

    int of(int node) const { return of_node_[static_cast<size_t>(node)]; }
    // Whether a node is computed from a call without inputs.
    bool begins(int node) const { return begins_[static_cast<size_t>(node)]; }

    // Tells the unions that sends and sources need, directly or through others, and numbers them anew.
    void tell(ToldGraph &told) const {
        std::vector<int> number(unions_.size(), -1);
        const auto is_union = [this](int one) { return one >= received_; };
        const auto mark = [&](int one) {
            if (is_union(one))
                number[static_cast<size_t>(one - received_)] = 0;
        };
        for (const ToldSend &send : told.sends)
            mark(send.needs);
        for (const ToldPort &source : told.sources)
            mark(source.needs);
        for (size_t i = unions_.size(); i-- > 0;)
            if (number[i] == 0)
                for (const int one : *unions_[i])
                    mark(one);
        const auto renumber = [&](int &one) {
            if (is_union(one))
                one = number[static_cast<size_t>(one - received_)];
        };
        for (size_t i = 0; i < unions_.size(); ++i)
            if (number[i] == 0) {
                number[i] = received_ + static_cast<int>(told.unions.size());
                for (int one : *unions_[i]) {
                    renumber(one);
                    told.unions.push_back(one);
                }
                told.unions.close();
            }
        for (ToldSend &send : told.sends)
            renumber(send.needs);
        for (ToldPort &source : told.sources)
            renumber(source.needs);
    }

private:
    int unite(const std::vector<int> &nodes) {
        std::vector<int> needs;
        for (const int node : nodes)
            if (of(node) >= 0)
                needs.push_back(of(node));
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
        if (needs.size() < 2)
            return needs.empty() ? -1 : needs.front();
        const auto [found, is_new] =
            known_.try_emplace(std::move(needs), received_ + static_cast<int>(unions_.size()));
        if (is_new)
            unions_.push_back(&found->first);
        return found->second;
    }

    std::vector<int> of_node_;
    std::vector<bool> begins_;
    int received_ = 0;
    std::map<std::vector<int>, int> known_;
    std::vector<const std::vector<int> *> unions_; // keys of known_
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

// Tells each shape once.
class ToldShapes {
public:
    ToldShapes(const GraphBody &body, ToldGraph &told) : body_(body), told_(told) {}
    int number(int shape) {
        const auto [at, is_new] = number_.try_emplace(shape, static_cast<int>(told_.shapes.size()));
        if (is_new)
            told_.shapes.push_back(body_.shapes.at(shape));
        return at->second;
    }

private:
    const GraphBody &body_;
    ToldGraph &told_;
    std::map<int, int> number_;
};

} // namespace

ToldGraph tell(const GraphBody &body, const Reached &reached, int rank) {
    ToldGraph told;
    told.rank = rank;
    const Needs needs(body, reached);
    ToldShapes shapes(body, told);
    std::map<int, int> first; // of the sends of a node
    for (const int send : reached.sends) {
        const GraphNode &node = body.node(send);
        const int data = first.try_emplace(node.of, static_cast<int>(told.sends.size())).first->second;
        told.sends.push_back({node.peer, node.name, shapes.number(body.node(node.of).shape), data,
                              needs.of(node.of), needs.begins(node.of)});
    }
    for (const int recv : reached.recvs) {
        const GraphNode &node = body.node(recv);
        told.recvs.push_back({node.peer, node.name, shapes.number(node.shape)});
    }
    for (const int source : reached.sources) {
        told.sources.push_back(tell_port(body, source, rank));
        told.sources.back().needs = needs.of(source);
        told.sources.back().begins = needs.begins(source);
    }
    for (const int sink : reached.sinks) {
        told.sinks.push_back(tell_port(body, sink, rank));
        if (body.port_of(sink).drops() && reached.sinks.size() + reached.recvs.size() > 1)
            fail(DRI_ERR_UNSUPPORTED,
                 "the sink port '{}' drops frames, so it must be the only one that this process receives",
                 body.node(sink).name);
    }
    needs.tell(told);
    return told;
}

} // namespace dri::graph
