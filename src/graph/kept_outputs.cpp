// Moves outputs at the end of a stream.
#include "graph/kept_outputs.hpp"

#include "base/checked.hpp"

#include <cstring>

namespace dri::graph {

KeptOutputs::KeptOutputs(const PlanBody &plan, const std::vector<Carrier> &carriers) {
    int64_t offset = 0;
    for (size_t c = 0; c < carriers.size(); ++c)
        if (carriers[c].holds_output && !carriers[c].is_port) // a port's source closes it without a buffer
            for (const CarriedNode &one : carriers[c].nodes) {
                const int64_t bytes = plan.body().bytes_of(one.node);
                outputs_.push_back({c, one.node, offset, bytes});
                offset += round_up(bytes, cache_line_bytes);
            }
    memory_ = AlignedBuffer(offset);
}

void KeptOutputs::move(std::vector<CarrierEnd> &ends, FramePointers &pointers, int slot) {
    for (const Output &one : outputs_) {
        if (slot < 0 || ends[one.carrier].held() == 0 || one.bytes == 0)
            continue;
        std::byte *const kept = memory_.data() + one.offset;
        std::memcpy(kept, pointers.address(slot, one.node), static_cast<size_t>(one.bytes));
        pointers.set(slot, one.node, kept);
    }
    for (const Output &one : outputs_)
        while (ends[one.carrier].held() > 0)
            ends[one.carrier].release();
}

} // namespace dri::graph
