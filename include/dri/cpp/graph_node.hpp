// Nodes of a graph: the arrays of this process that its calls read and write.
#pragma once

#include <dri/cpp/options.hpp>
#include <dri/cpp/part.hpp>
#include <dri/cpp/placement.hpp>
#include <dri/graph.h>

#include <memory>

namespace dri {
inline namespace v1 {

class Graph;

namespace detail {

template <class X> struct Operand; // of a call: graph_call.hpp

// What all copies of a node share.
struct NodeState {
    DRI_Node handle{};
    bool is_written = true; // by a call, or from elsewhere
};

} // namespace detail

// An array of this process in a graph. A value: copies name the same node. Graph makes it. An empty one stands for
// a node of other processes: `if (node)` is false.
template <class T, std::size_t N> class Node : detail::Dims<N>, detail::Elementary<T> {
public:
    using value_type = T;
    Node() = default;

    DRI_Node handle() const noexcept { return state_ ? state_->handle : DRI_Node{}; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

    // The shape of its views. Of an empty node all extents are 0.
    const Index<N> &extents() const noexcept { return extents_; }
    std::int64_t extent(int d) const { return extents_[static_cast<std::size_t>(d)]; }

protected:
    friend Graph;
    template <class> friend struct detail::Operand;

    Node(DRI_Node handle, bool is_written, const Index<N> &extents, const Index<N> &strides)
        : state_(std::make_shared<detail::NodeState>(detail::NodeState{handle, is_written})), extents_(extents),
          strides_(strides) {}

    std::shared_ptr<detail::NodeState> state_;
    Index<N> extents_{}, strides_{};
};

// A node that exactly one call writes: the first one that has it as an operand. Calls that come later read it. All
// get a View<T, N>; whoever reads it leaves it as it is.
template <class T, std::size_t N> class Value : public Node<T, N> {
public:
    Value() = default;

private:
    friend Graph;
    using Node<T, N>::Node;
};

// The source or a sink of a transfer on this process: role is DRI_SOURCE, whose views a call writes, or DRI_SINK.
// It is empty on a process outside its distribution's group.
template <class T, std::size_t N, DRI_Role role> class Port : public Node<T, N> {
public:
    Port() = default;

    const Dist<T, N> &dist() const noexcept { return dist_; }
    // The 4-tuple of a dimension: what the process owns, and its overlap. Zeros if the port is empty.
    DRI_Part_tuple part(int d) const { return dist_.tuples()[static_cast<std::size_t>(d)]; }

private:
    friend Graph;
    template <class> friend struct detail::Operand;

    Port(DRI_Node handle, const Dist<T, N> &dist, const Layout &layout)
        : Node<T, N>(handle, role == DRI_SINK, dist.extents(), layout.strides(dist)), dist_(dist),
          placement_(std::make_shared<const detail::Placement<T, N>>(dist, layout)) {}

    Dist<T, N> dist_;
    std::shared_ptr<const detail::Placement<T, N>> placement_;
};

// A send. Graph::send() makes it; it exists if it is stapled to a node, or is an output.
class Send {
public:
    Send() = default;
    DRI_Node handle() const noexcept { return handle_; }
    explicit operator bool() const noexcept { return has_handle_; }

private:
    friend Graph;
    explicit Send(DRI_Node handle) : handle_(handle), has_handle_(true) {}

    DRI_Node handle_{};
    bool has_handle_ = false;
};

// One end of a transfer of a graph: end() makes it.
template <class T, std::size_t N> struct GraphEnd {
    Dist<T, N> dist;
    Options options;
};

// The end of a transfer: what each process of the distribution's group holds, and how. All options of an endpoint
// count, except `buffers`, `stream`, `in_place`, `rebase` and `rebind`, which are the plan's or have no meaning
// here.
template <class T, std::size_t N> GraphEnd<T, N> end(const Dist<T, N> &dist, const Options &options = {}) {
    return {dist, options};
}

} // namespace v1
} // namespace dri
