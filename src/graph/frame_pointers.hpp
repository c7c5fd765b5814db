// The addresses that calls and copies of each frame in flight work on. They are computed once, after the commit.
#pragma once

#include "base/memory.hpp"
#include "graph/carrier_end.hpp"
#include "graph/frame_steps.hpp"

namespace dri::graph {

class FramePointers {
public:
    // Allocates all memory. slots: as RunOptions::slots.
    FramePointers(const PlanBody &plan, const FrameSteps &frame, int slots);

    void bind(const std::vector<CarrierEnd> &ends);
    // What the nodes lie in that no carrier has.
    std::shared_ptr<const void> memory() const { return memory_; }
    // Moves a node to other memory.
    void set(int slot, int node, std::byte *address);

    std::byte *address(int slot, int node) const { return of(slot).nodes[static_cast<size_t>(node)]; }
    void *const *out(int slot, int call) const { return of(slot).entries.data() + at_[static_cast<size_t>(call)]; }
    const void *const *in(int slot, int call) const {
        return out(slot, call) + plan_.body().call(call).out.size();
    }
    // Copies a node into the buffer of a carrier.
    void copy(int slot, int copy) const;

private:
    struct Slot {
        std::vector<std::byte *> nodes;   // per node of the body
        std::vector<void *> entries;      // out and in of every call
        std::vector<std::byte *> targets; // per copy
    };
    const Slot &of(int slot) const { return slots_[static_cast<size_t>(slot)]; }

    const PlanBody &plan_;
    const FrameSteps &frame_;
    std::vector<Slot> slots_;
    std::shared_ptr<std::vector<AlignedBuffer>> memory_ =
        std::make_shared<std::vector<AlignedBuffer>>(); // per slot
    std::vector<size_t> at_;                            // per call: its first entry
    std::vector<std::vector<size_t>> uses_;             // per node: its entries
};

} // namespace dri::graph
