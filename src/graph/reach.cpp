// A walk from the roots, without recursion: chains of nodes may be long.
#include "graph/reach.hpp"

#include <algorithm>
#include <tuple>

namespace dri::graph {

namespace {

// Nodes, and calls behind them, are the places of the walk.
class Walk {
public:
    explicit Walk(const GraphBody &body)
        : body_(body), nodes_(static_cast<int>(body.nodes.size())),
          state_(body.nodes.size() + body.calls.size(), State::fresh) {}

    void from_node(int node) { follow(node); }
    void from_call(int call) { follow(nodes_ + call); }

    Reached take() {
        found_.is_live.resize(body_.nodes.size());
        for (size_t i = 0; i < found_.is_live.size(); ++i)
            found_.is_live[i] = state_[i] == State::done;
        const auto by_peer = [&](int a, int b) {
            const GraphNode &x = body_.node(a), &y = body_.node(b);
            return std::tie(x.peer, x.name) < std::tie(y.peer, y.name);
        };
        std::stable_sort(found_.sends.begin(), found_.sends.end(), by_peer);
        std::stable_sort(found_.recvs.begin(), found_.recvs.end(), by_peer);
        for (auto *ports : {&found_.sources, &found_.sinks})
            std::stable_sort(ports->begin(), ports->end(),
                             [&](int a, int b) { return body_.node(a).name < body_.node(b).name; });
        return std::move(found_);
    }

private:
    enum class State : uint8_t { fresh, open, done };
    struct Place {
        int at;
        size_t next = 0;
    };

    // The i-th place that a place needs, or -1 behind the last. A call writes all its outputs, so they follow it.
    int need(int at, size_t i) const {
        if (at >= nodes_) {
            const GraphCall &call = body_.call(at - nodes_);
            if (i < call.in.size())
                return call.in[i];
            i -= call.in.size();
            return i < call.keeps.size() ? call.keeps[i] : -1;
        }
        const GraphNode &node = body_.node(at);
        const int needs[]{node.of, node.send, node.via, node.writer < 0 ? -1 : nodes_ + node.writer};
        for (const int one : needs)
            if (one >= 0 && i-- == 0)
                return one;
        return -1;
    }

    void enter(int at) {
        State &state = state_[static_cast<size_t>(at)];
        if (state == State::open)
            fail_for_cycle(at);
        if (state == State::done)
            return;
        if (at < nodes_ && body_.node(at).writer < 0 &&
            (body_.node(at).kind == NodeKind::value || body_.node(at).kind == NodeKind::source))
            fail_for_unwritten(at);
        state = State::open;
        path_.push_back({at});
    }

    void follow(int root) {
        enter(root);
        while (!path_.empty()) {
            const int need_now = need(path_.back().at, path_.back().next++);
            if (need_now >= 0)
                enter(need_now);
            else
                leave();
        }
    }

    void leave() {
        const int at = path_.back().at;
        path_.pop_back();
        state_[static_cast<size_t>(at)] = State::done;
        if (at < nodes_) {
            list(at);
            return;
        }
        found_.calls.push_back(at - nodes_);
        for (const int out : body_.call(at - nodes_).out)
            if (State &state = state_[static_cast<size_t>(out)]; state == State::fresh) {
                state = State::done;
                list(out);
            }
    }

    void list(int at) {
        switch (body_.node(at).kind) {
        case NodeKind::staple: return;
        case NodeKind::send: found_.sends.push_back(at); return;
        case NodeKind::recv: found_.recvs.push_back(at); break;
        case NodeKind::source: found_.sources.push_back(at); break;
        case NodeKind::sink: found_.sinks.push_back(at); break;
        default: break;
        }
        found_.nodes.push_back(at);
    }

    [[noreturn]] void fail_for_cycle(int at) const {
        for (auto place = path_.rbegin(); place != path_.rend(); ++place)
            if (place->at >= nodes_)
                fail(DRI_ERR_CYCLE, "the call '{}' reads what is computed from its own outputs",
                     body_.call(place->at - nodes_).name);
        fail(DRI_ERR_INTERNAL, "node {} is its own staple", at);
    }

    [[noreturn]] void fail_for_unwritten(int at) const {
        const GraphNode &node = body_.node(at);
        if (node.kind == NodeKind::source)
            fail(DRI_ERR_ARG, "no call writes the source port '{}'", node.name);
        const std::string shape = body_.shapes.at(node.shape).text();
        for (auto place = path_.rbegin(); place != path_.rend(); ++place)
            if (place->at >= nodes_)
                fail(DRI_ERR_ARG, "the call '{}' reads a value {} that no call writes",
                     body_.call(place->at - nodes_).name, shape);
            else if (body_.node(place->at).kind == NodeKind::send)
                fail(DRI_ERR_ARG, "tag '{}' to process {} sends a value {} that no call writes",
                     body_.node(place->at).name, body_.node(place->at).peer, shape);
        fail(DRI_ERR_ARG, "an output is a value {} that no call writes", shape);
    }

    const GraphBody &body_;
    int nodes_;
    std::vector<State> state_;
    std::vector<Place> path_;
    Reached found_;
};

} // namespace

Reached reach(const GraphBody &body) {
    Walk walk(body);
    std::vector<std::pair<std::string, int>> sources, sinks_of_all;
    for (const GraphPort &port : body.ports)
        if (port.role == DRI_SOURCE)
            sources.emplace_back(body.node(port.node).name, port.node);
    std::sort(sources.begin(), sources.end());
    for (const auto &[name, node] : sources)
        walk.from_node(node);
    for (const auto &[name, node] : body.outputs)
        walk.from_node(node);
    for (size_t i = 0; i < body.calls.size(); ++i)
        if (body.calls[i].out.empty())
            sinks_of_all.emplace_back(body.calls[i].name, static_cast<int>(i));
    std::stable_sort(sinks_of_all.begin(), sinks_of_all.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[name, call] : sinks_of_all)
        walk.from_call(call);
    return walk.take();
}

} // namespace dri::graph
