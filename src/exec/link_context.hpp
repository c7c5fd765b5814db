// What the lanes of a link are made with. It is used only while they are made.
#pragma once

#include "exec/workers.hpp"
#include "kernel/chooser.hpp"
#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "plan/strided_copy.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <functional>
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

struct LinkContext {
    std::shared_ptr<const plan::Plan> plan;
    Teams teams;
    FirstBuffers first;
    kernel::Chooser &chooser;
    transport::Transport &transport;
    int64_t tag = 0;

    // Bytes that a frame writes into the sink's buffer.
    int64_t written() const;
    // Binds a copy to its kernel, which depends on the first addresses and on the bytes that a frame writes there.
    using Bind = std::function<kernel::BoundCopy(const plan::StridedCopy &)>;
    Bind bind(int64_t bytes, const std::byte *src, const std::byte *dst, bool measures) const;
};

} // namespace dri::exec
