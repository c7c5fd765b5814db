// What the lanes of a link are made with. It is used only while they are made.
#pragma once

#include "exec/workers.hpp"
#include "kernel/chooser.hpp"
#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "plan/strided_copy.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <memory>

namespace dri::exec {

// The threads of the source and of the sink that this process holds in a flow.
struct Teams {
    Team source = {}, sink = {};
};

// The first buffers of this process's endpoints in a flow, null for an endpoint that it does not hold. The flags
// say whether the commit measures kernels for that endpoint.
struct FirstBuffers {
    const std::byte *source = nullptr, *sink = nullptr;
    bool source_measures = false, sink_measures = false;
};

// How copies are bound: as in kernel::Chooser::bind.
struct Binding {
    kernel::Chooser &chooser;
    int64_t written_bytes;
    kernel::Addresses at;
    bool measures;

    kernel::BoundCopy operator()(const plan::StridedCopy &copy) const {
        return chooser.bind(copy, written_bytes, at, measures);
    }
};

struct LinkContext {
    std::shared_ptr<const plan::Plan> plan;
    Teams teams;
    FirstBuffers first;
    kernel::Chooser &chooser;
    transport::Transport &transport;
    int64_t tag = 0;

    // Bytes that a frame writes into the sink's buffer.
    int64_t written() const;
    // Binds copies to kernels, which depend on the first addresses and on the bytes that a frame writes there.
    Binding bind(int64_t bytes, const std::byte *src, const std::byte *dst, bool measures) const;
};

} // namespace dri::exec
