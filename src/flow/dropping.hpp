// Which frames a source sends to a sink that drops frames instead of holding the source back. The first process of
// the source decides, by what the processes of the sink have reported (credits).
#pragma once

#include "flow/ledger.hpp"

namespace dri::flow {

// Frames on their way to a process of the sink: one arrives while the next one leaves.
constexpr int64_t frames_under_way = 2;

enum class DropVerdict { keep, drop };

// The decision on the next frame, if only one process of the sink is asked. taken: frames that it has reported as
// whole. left: it has left, so it holds nothing up. A frame is kept if all processes of the sink agree.
constexpr DropVerdict decide(FlowFrames kept, FlowFrames taken, bool left) {
    return left || kept - taken < frames_under_way ? DropVerdict::keep : DropVerdict::drop;
}

} // namespace dri::flow
