// Recognises copies of complex numbers between pairs and planes, and the roles of their loops.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

#include <optional>

namespace dri::kernel {

// A copy of components of run_bytes bytes each. On one side two components lie next to each other, and pairs
// follow each other along the loop `pairs`. On the other side components follow each other along the loop `plane`.
struct PlaneLoops {
    bool splits = false;                       // pairs to planes; otherwise planes to pairs
    plan::Loop part{1, 0, 0};                  // over the two components
    plan::Loop pairs{1, 0, 0}, plane{1, 0, 0}; // the same loop if there is no corner turn
    bool turns = false;
};

// Returns nothing if the copy is not of this kind.
std::optional<PlaneLoops> find_planes(const plan::StridedCopy &copy);

// The loops of a copy of this kind become the last ones: plane if there is a corner turn, pairs, part. The others
// keep their order.
plan::StridedCopy arrange_planes(const plan::StridedCopy &copy);

// The loops of a copy that is arranged, and how many they are.
inline PlaneLoops arranged_planes(const plan::StridedCopy &copy) {
    const plan::Loop *const end = copy.loops.end();
    const plan::Loop &part = end[-1], &pairs = end[-2];
    const bool splits = part.src_stride == copy.run_bytes;
    const bool turns = (splits ? pairs.dst_stride : pairs.src_stride) != copy.run_bytes;
    return {splits, part, pairs, turns ? end[-3] : pairs, turns};
}
inline size_t inner_loops(const PlaneLoops &p) { return p.turns ? 3 : 2; }

// Calls f with a component as wide as the copy's run.
template <class F> auto with_component(const plan::StridedCopy &copy, const F &f) {
    switch (copy.run_bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
    }
}

} // namespace dri::kernel
