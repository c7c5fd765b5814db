// Numbers of frames with their unit. A source, a sink and the flow between them count different things: strips or
// whole arrays, with or without the frames that are dropped.
#pragma once

#include <compare>
#include <cstdint>

namespace dri::flow {

// A number of frames, or the number of one frame, counted from 0. Frames of different units do not mix.
template <class Unit> struct Frames {
    int64_t count = 0;

    constexpr auto operator<=>(const Frames &) const = default;
    constexpr Frames operator+(int64_t more) const { return {count + more}; }
    constexpr Frames operator-(int64_t fewer) const { return {count - fewer}; }
    constexpr int64_t operator-(Frames other) const { return count - other.count; }
};

// What a source inserts: strips, or whole arrays.
using SourceFrames = Frames<struct OfSource>;
// What a sink extracts: strips, or whole arrays.
using SinkFrames = Frames<struct OfSink>;
// What moves from a source to one sink: whole arrays, without those that the sink drops.
using FlowFrames = Frames<struct OfFlow>;

// The strips of one array at each side; 1: the side counts whole arrays. All conversions of strips are here.
struct SideStrips {
    int64_t source = 1, sink = 1;

    // The frames of the source that make up these arrays.
    constexpr SourceFrames of_source(FlowFrames arrays) const { return {arrays.count * source}; }
    // The frames that the sink extracts from these arrays.
    constexpr SinkFrames of_sink(FlowFrames arrays) const { return {arrays.count * sink}; }
    // The array that holds a frame of the sink. As a number of frames: the arrays that are complete.
    constexpr FlowFrames array_of(SinkFrames frame) const {
        return {sink == 1 ? frame.count : frame.count / sink};
    }
    constexpr bool any() const { return source > 1 || sink > 1; }
};

} // namespace dri::flow
