// Graphs: what each process computes from what, and what it exchanges; checked on all processes, then run frame
// after frame. See dri/graph.h.
//
//     dri::Graph g;
//     auto [lines, pulses] = g.transfer("turn", dri::end(by_pulse), dri::end(by_range));
//     g.call("fill", [](dri::Call &call, auto out) { ... }, lines);
//     g.call("use", [](dri::Call &call, auto in) { ... }, pulses);
//     dri::Plan plan = g.partition();
//     plan.commit();
//     plan.run();
#pragma once

#include <dri/cpp/graph_plan.hpp>
#include <dri/cpp/status.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {

// What one process computes and exchanges in a frame. Every process of the group makes one and says what is its
// own. A text that says all of it serves all processes: nodes and calls exist where their distributions do. It is
// moved, never copied. All calls except partition() are local.
class Graph {
public:
    explicit Graph(const Group &group = world()) : kept_(std::make_shared<detail::GraphKept>()), group_(group) {
        if (group.position() >= 0)
            detail::check(DRI_graph_create(group.handle(), graph_.out()));
    }

    DRI_Graph handle() const noexcept { return graph_.get(); }
    explicit operator bool() const noexcept { return graph_.get().id != 0; } // false outside the group

    // A whole reorganisation: its source, whose views one call writes, and its sinks. Ends are made by end().
    template <class T, std::size_t N, class... U, std::size_t... M>
    std::tuple<Port<T, N, DRI_SOURCE>, Port<U, M, DRI_SINK>...>
    transfer(const detail::Name &name, const GraphEnd<T, N> &source, const GraphEnd<U, M> &...sinks) {
        static_assert(sizeof...(U) > 0, "dri: a transfer of a graph has a source and at least one sink");
        auto from = port<DRI_SOURCE>(name, source);
        return {std::move(from), port<DRI_SINK>(name, sinks)...};
    }

    // An array that is given for each run, see Plan::input().
    template <class T, std::size_t N> Node<T, N> input(const detail::Name &name, const Index<N> &shape) {
        kept_->inputs[name.get()] = described<T>(shape, detail::packed_strides<N>(shape));
        return made<Node<T, N>>(shape, true, [&](DRI_Gdo gdo, DRI_Node *node) {
            return DRI_graph_input(handle(), name.get(), gdo, node);
        });
    }
    // A constant: the program's own memory, which is read where it lies. Without gaps and row-major.
    template <class T, std::size_t N> Node<std::remove_const_t<T>, N> data(const View<T, N> &memory) {
        using Element = std::remove_const_t<T>;
        if (memory.strides() != detail::packed_strides<N>(memory.extents()) && memory.size() > 0)
            detail::fail(DRI_ERR_ARG, "Graph::data(): the memory has gaps, or is not row-major");
        return made<Node<Element, N>>(memory.extents(), true, [&](DRI_Gdo gdo, DRI_Node *node) {
            return DRI_graph_data(handle(), gdo, memory.data(), node);
        });
    }
    // An array that the first call with it writes, and the calls behind it read.
    template <class T, std::size_t N> Value<T, N> value(const Index<N> &shape) {
        return made<Value<T, N>>(
            shape, false, [&](DRI_Gdo gdo, DRI_Node *node) { return DRI_graph_value(handle(), gdo, node); });
    }
    // What the process `from` sends under a tag.
    template <class T, std::size_t N> Node<T, N> recv(int from, const detail::Name &tag, const Index<N> &shape) {
        return made<Node<T, N>>(shape, true, [&](DRI_Gdo gdo, DRI_Node *node) {
            return DRI_graph_recv(handle(), from, tag.get(), gdo, node);
        });
    }
    template <class T, std::size_t N> Send send(const Node<T, N> &node, int to, const detail::Name &tag) {
        if (!node)
            return {};
        DRI_Node made;
        detail::check(DRI_graph_send(handle(), node.handle(), to, tag.get(), &made));
        return Send(made);
    }
    // A node with the value of `to`, which keeps the send.
    template <class T, std::size_t N> Node<T, N> staple(const Send &send, const Node<T, N> &to) {
        if (!send || !to)
            return to;
        DRI_Node made;
        detail::check(DRI_graph_staple(handle(), send.handle(), to.handle(), &made));
        return Node<T, N>(made, true, to.extents_, to.strides_);
    }

    // A call: f(call, views...) with a View of each node, in their order. It writes the sources and the values
    // that no call has written so far, and reads all others. f is copied or moved into the graph. The call exists
    // where all its nodes do.
    template <class F, class... Nodes> void call(const detail::Name &name, F &&f, Nodes... nodes) {
        static_assert(sizeof...(Nodes) > 0, "dri: a call of a graph has at least one node");
        static_assert(std::invocable<std::decay_t<F> &, Call &, ViewOf<Nodes>...>,
                      "dri: the function of a call takes a Call & and a View of each node");
        if (!(static_cast<bool>(nodes) && ...))
            return;
        std::vector<DRI_Node> out, in;
        const auto operand = [&]<class X>(const X &node) {
            const bool is_output = detail::Operand<X>::is_output(node);
            auto &list = is_output ? out : in;
            list.push_back(node.handle());
            return detail::Operand<X>(node, is_output, static_cast<int>(list.size()) - 1);
        };
        // Braces: the operands are counted from left to right.
        using Bound = detail::BoundCall<std::decay_t<F>, Nodes...>;
        const std::shared_ptr<Bound> bound(new Bound{std::forward<F>(f), operand(nodes)...});
        detail::check(DRI_graph_call(handle(), name.get(), Bound::run, bound.get(), static_cast<int>(out.size()),
                                     out.data(), static_cast<int>(in.size()), in.data()));
        kept_->functions.push_back(bound);
        (mark_written(nodes), ...);
    }

    // Keeps the node's value in memory, so that later parts read it.
    template <class T, std::size_t N> void store(const Node<T, N> &node) {
        if (node)
            detail::check(DRI_graph_store(handle(), node.handle()));
    }
    // An output, see Plan::output(). A node may be several.
    template <class T, std::size_t N> void output(const detail::Name &name, const Node<T, N> &node) {
        if (!node)
            return;
        detail::check(DRI_graph_output(handle(), name.get(), node.handle()));
        kept_->outputs[name.get()] = described<T>(node.extents(), node.strides_);
    }
    // A send as an output: it is kept without a staple.
    void output(const detail::Name &name, const Send &send) {
        if (send)
            detail::check(DRI_graph_output(handle(), name.get(), send.handle()));
    }

    // Matches and checks the graphs of all processes. Collective over the group; synchronising. On a process
    // outside the group the plan is empty. See DRI_graph_partition.
    Plan partition() {
        if (!*this)
            return {};
        DRI_Plan plan;
        detail::check(DRI_graph_partition(handle(), &plan));
        return Plan(plan, kept_, group_);
    }

private:
    template <class X>
    using ViewOf = decltype(std::declval<const detail::Operand<X> &>().view(std::declval<const DRI_Call &>()));

    template <class T, std::size_t N>
    static detail::GraphKept::Output described(const Index<N> &shape, const Index<N> &strides) {
        return {{shape.begin(), shape.end()}, {strides.begin(), strides.end()}, &detail::element_mark<T>};
    }

    template <class Made, std::size_t N, class Make>
    Made made(const Index<N> &shape, bool is_written, const Make &make) {
        if (!*this)
            return {};
        using Element = typename Made::value_type;
        DRI_Node node;
        detail::check(make(Gdo<Element, N>(shape).handle(), &node));
        return Made(node, is_written, shape, detail::packed_strides<N>(shape));
    }

    template <DRI_Role role, class T, std::size_t N>
    Port<T, N, role> port(const detail::Name &name, const GraphEnd<T, N> &end) {
        if (!end.dist)
            return {};
        const Options &options = end.options;
        if (options.layout.made().split)
            detail::fail(DRI_ERR_UNSUPPORTED, std::string("Graph::transfer(): an end of '") + name.get() +
                                                  "' has a split layout, of which there are no views");
        if (options.buffers != 1)
            detail::fail(DRI_ERR_UNSUPPORTED, std::string("Graph::transfer(): an end of '") + name.get() +
                                                  "' has a number of buffers, which PlanOptions::frames decides");
        DRI_Node node;
        const auto make = role == DRI_SOURCE ? DRI_graph_source : DRI_graph_sink;
        detail::check(make(handle(), name.get(), end.dist.handle(), options.layout.handle(), &node));
        detail::apply(
            options,
            [&](DRI_Attr attribute, std::int64_t value) {
                return DRI_graph_set_attr(handle(), node, attribute, value);
            },
            [&](double scale) { return DRI_graph_set_scale(handle(), node, scale); });
        return Port<T, N, role>(node, end.dist, options.layout);
    }

    template <class T, std::size_t N> static void mark_written(const Node<T, N> &node) {
        node.state_->is_written = true;
    }

    std::shared_ptr<detail::GraphKept> kept_; // outlives the graph, whose calls are in it
    Group group_;
    detail::Owned<DRI_Graph, DRI_graph_destroy> graph_;
};

} // namespace v1
} // namespace dri
