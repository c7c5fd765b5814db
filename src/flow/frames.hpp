// Numbers of frames with their unit. A source, a sink and the flow between them count different things: strips or
// whole arrays, with or without the frames that a sink does not take or that are dropped.
#pragma once

#include "base/quotient.hpp"

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
// What moves from a source to one sink: whole arrays, without those that the sink does not take or drops.
using FlowFrames = Frames<struct OfFlow>;

// Which frames of a source make up the arrays that move to one sink: array n is made of `span` frames, from number
// n * period + phase on. A sink that takes every k-th frame has the period k and the span 1; strips of the source
// have the period and the span of their number. All conversions between source and flow are here.
struct SourcePattern {
    int64_t period = 1, phase = 0, span = 1;

    static constexpr SourcePattern strips(int64_t n) { return {.period = n, .phase = 0, .span = n}; }
    static constexpr SourcePattern every(int64_t k, int64_t i) { return {.period = k, .phase = i, .span = 1}; }

    // The first frame of an array. As a number of frames: those that a sink with so many arrays no longer needs.
    constexpr SourceFrames first(FlowFrames array) const { return {array.count * period + phase}; }
    // The frames up to the last one of an array, and of so many arrays.
    constexpr SourceFrames end(FlowFrames array) const { return first(array) + span; }
    constexpr SourceFrames through(FlowFrames arrays) const {
        return arrays.count > 0 ? end(arrays - 1) : SourceFrames{};
    }
    // The arrays that are complete in so many frames.
    constexpr FlowFrames arrays_in(SourceFrames frames) const {
        return {period == 1 ? frames.count : (frames.count + period - phase - span) / period};
    }
    // Whether a frame is part of an array.
    constexpr bool takes(SourceFrames frame) const { return !skips() || frame.count % period == phase; }
    constexpr int64_t stride() const { return period / span; } // between arrays, if they are frames
    constexpr bool skips() const { return period > span; } // some frames are part of none; the others are arrays
    constexpr bool counts_alike() const { return period == 1; }
};

// The strips of one array at a sink; 1: it counts whole arrays.
struct SinkStrips {
    Divisor count = 1;

    // The frames that the sink extracts from these arrays.
    constexpr SinkFrames of_sink(FlowFrames arrays) const { return {arrays.count * count.number()}; }
    // The array that holds a frame of the sink. As a number of frames: the arrays that are complete.
    constexpr FlowFrames array_of(SinkFrames frame) const { return {quotient(frame.count, count)}; }
};

} // namespace dri::flow
