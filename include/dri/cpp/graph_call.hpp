// Calls of a graph: functions of the user's, with what comes with each frame and the views of their nodes.
#pragma once

#include <dri/cpp/frame.hpp>
#include <dri/cpp/graph_node.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace dri {
inline namespace v1 {

// What a function of a graph learns about its frame. It is valid inside the function alone.
class Call {
public:
    explicit Call(DRI_Call &call) : call_(call) {}
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    // The number of the frame, from 0.
    std::int64_t frame() const { return call_.frame; }
    // When the frame started.
    std::chrono::system_clock::time_point time() const { return Frame(*call_.about).time; }
    // Number, time and the user's bytes of the frame.
    Frame about() const { return Frame(*call_.about); }
    std::string_view text() const {
        return {reinterpret_cast<const char *>(call_.about->data), static_cast<std::size_t>(call_.about->bytes)};
    }
    // The record that the source of the frame has set. Throws DRI_ERR_MISMATCH if what came has another size.
    template <class T> T record() const {
        static_assert(std::is_trivially_copyable_v<T>, "dri: a record is copied byte for byte");
        if (call_.about->bytes != static_cast<std::int32_t>(sizeof(T)))
            detail::fail(DRI_ERR_MISMATCH, "Call::record(): the frame carries " +
                                               std::to_string(call_.about->bytes) + " bytes, but the record has " +
                                               std::to_string(sizeof(T)));
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), call_.about->data, sizeof(T));
        return std::bit_cast<T>(bytes);
    }

    // In a call without inputs: what travels with the frame to all stages. A time of 0 is the clock's.
    void time(std::chrono::system_clock::time_point when) {
        call_.about->time_ns =
            std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count();
    }
    void text(std::string_view text) { set(text.data(), text.size()); }
    template <class T> void record(const T &value) {
        static_assert(std::is_trivially_copyable_v<T>, "dri: a record is copied byte for byte");
        static_assert(sizeof(T) <= DRI_MAX_FRAME_BYTES, "dri: a frame carries at most 256 bytes");
        set(&value, sizeof value);
    }
    // In a call without inputs: there is no further frame. What the function has written is dropped.
    void end() { has_ended_ = true; }

    bool has_ended() const { return has_ended_; }

private:
    void set(const void *data, std::size_t size) {
        if (size > DRI_MAX_FRAME_BYTES)
            detail::fail(DRI_ERR_ARG, "Call: " + std::to_string(size) + " bytes, but a frame carries at most " +
                                          std::to_string(int{DRI_MAX_FRAME_BYTES}));
        if (size > 0)
            std::memcpy(call_.about->data, data, size);
        call_.about->bytes = static_cast<std::int32_t>(size);
    }

    DRI_Call &call_;
    bool has_ended_ = false;
};

namespace detail {

// How the view of an operand is made of the pointers of a DRI_Call.
template <class T, std::size_t N> struct Place {
    bool is_output = false;
    int at = 0;
    Index<N> extents{}, strides{};

    T *pointer(const DRI_Call &call) const {
        return static_cast<T *>(is_output ? call.out[at] : const_cast<void *>(call.in[at]));
    }
};

// What is read.
template <class T, std::size_t N> struct Operand<Node<T, N>> {
    Place<T, N> place;

    Operand(const Node<T, N> &node, bool is_output, int at) : place{is_output, at, node.extents_, node.strides_} {}
    View<const T, N> view(const DRI_Call &call) const {
        return {place.pointer(call), place.extents, place.strides};
    }
    static bool is_output(const Node<T, N> &node) { return !node.state_->is_written; }
};

template <class T, std::size_t N> struct Operand<Port<T, N, DRI_SINK>> : Operand<Node<T, N>> {
    using Operand<Node<T, N>>::Operand;
};

template <class T, std::size_t N> struct Operand<Value<T, N>> : Operand<Node<T, N>> {
    using Operand<Node<T, N>>::Operand;
    View<T, N> view(const DRI_Call &call) const {
        return {this->place.pointer(call), this->place.extents, this->place.strides};
    }
};

// A Part knows the global index of each element. Calls behind the one that writes the source read it.
template <class T, std::size_t N> struct Operand<Port<T, N, DRI_SOURCE>> {
    Place<T, N> place;
    std::shared_ptr<const Placement<T, N>> placement;

    Operand(const Port<T, N, DRI_SOURCE> &port, bool is_output, int at)
        : place{is_output, at, {}, {}}, placement(port.placement_) {}
    Part<T, N> view(const DRI_Call &call) const { return Part<T, N>(place.pointer(call), *placement); }
    static bool is_output(const Port<T, N, DRI_SOURCE> &port) { return !port.state_->is_written; }
};

// A function of the user's with its operands. The library calls run() with this object as its context.
template <class F, class... Nodes> class BoundCall {
public:
    BoundCall(F f, Operand<Nodes>... operands) : f_(std::move(f)), operands_(std::move(operands)...) {}

    static int run(void *context, DRI_Call *call) noexcept {
        Call face(*call);
        const int code = guarded([&] {
            auto &self = *static_cast<BoundCall *>(context);
            std::apply([&](const auto &...operand) { self.f_(face, operand.view(*call)...); }, self.operands_);
        });
        return code == DRI_SUCCESS && face.has_ended() ? int{DRI_END_OF_STREAM} : code;
    }

private:
    F f_;
    std::tuple<Operand<Nodes>...> operands_;
};

} // namespace detail

} // namespace v1
} // namespace dri
