// Fills the tables of addresses.
#include "graph/frame_pointers.hpp"

#include <cstring>

namespace dri::graph {

FramePointers::FramePointers(const PlanBody &plan, const FrameSteps &frame, int slots)
    : plan_(plan), frame_(frame), at_(plan.body().calls.size()), uses_(plan.body().nodes.size()) {
    size_t entries = 0;
    for (const int call : plan.reached().calls) {
        at_[static_cast<size_t>(call)] = entries;
        for (const auto *nodes : {&plan.body().call(call).out, &plan.body().call(call).in})
            for (const int node : *nodes)
                uses_[static_cast<size_t>(node)].push_back(entries++);
    }
    for (int slot = 0; slot < slots; ++slot) {
        Slot &made = slots_.emplace_back();
        memory_->emplace_back(frame.memory_bytes);
        made.nodes.resize(plan.body().nodes.size());
        made.entries.resize(entries);
        made.targets.resize(frame.copies.size());
    }
}

void FramePointers::bind(const std::vector<CarrierEnd> &ends) {
    for (int slot = 0; slot < static_cast<int>(slots_.size()); ++slot) {
        Slot &bound = slots_[static_cast<size_t>(slot)];
        std::byte *const memory = (*memory_)[static_cast<size_t>(slot)].data();
        for (const int node : plan_.reached().nodes) {
            const NodeHome &home = frame_.homes[static_cast<size_t>(node)];
            switch (home.where) {
            case NodeHome::Where::constant:
                set(slot, node, static_cast<std::byte *>(const_cast<void *>(plan_.body().node(node).data)));
                break;
            case NodeHome::Where::memory: set(slot, node, memory + home.offset); break;
            case NodeHome::Where::carrier:
                set(slot, node, ends[static_cast<size_t>(home.carrier)].buffer(slot) + home.offset);
                break;
            case NodeHome::Where::user:
            case NodeHome::Where::nowhere: break;
            }
        }
        for (size_t i = 0; i < frame_.copies.size(); ++i) {
            const NodeCopy &copy = frame_.copies[i];
            bound.targets[i] = ends[static_cast<size_t>(copy.carrier)].buffer(slot) + copy.offset;
        }
    }
}

void FramePointers::set(int slot, int node, std::byte *address) {
    Slot &changed = slots_[static_cast<size_t>(slot)];
    changed.nodes[static_cast<size_t>(node)] = address;
    for (const size_t entry : uses_[static_cast<size_t>(node)])
        changed.entries[entry] = address;
}

void FramePointers::copy(int slot, int copy) const {
    const NodeCopy &one = frame_.copies[static_cast<size_t>(copy)];
    if (one.bytes > 0)
        std::memcpy(of(slot).targets[static_cast<size_t>(copy)], address(slot, one.node),
                    static_cast<size_t>(one.bytes));
}

} // namespace dri::graph
