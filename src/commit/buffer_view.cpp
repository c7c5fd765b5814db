// Combines what a process holds along each dimension with the strides of its layout.
#include "commit/buffer_view.hpp"

#include "exec/rebinding.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"

#include <algorithm>

namespace dri::commit {

std::byte *current_buffer(const Endpoint &endpoint) {
    const exec::EndpointState &state = endpoint.state();
    const int64_t frame = endpoint.current_frame();
    if (endpoint.declaration().role == Role::source)
        return endpoint.transfer()->source().buffer_to_fill(frame);
    return state.rebinding ? state.rebinding->read_last() : state.buffer(frame);
}

size_t copy_buffers(const Endpoint &endpoint, void **to) {
    const exec::EndpointState &state = endpoint.state();
    if (to && state.rebinding)
        *to = state.rebinding->read_next();
    else if (to)
        std::copy(state.buffers.begin(), state.buffers.end(), to);
    return state.buffers.size();
}

BufferView view_of(const Endpoint &endpoint, int rank) {
    const Declaration &d = endpoint.declaration();
    std::byte *const buffer = current_buffer(endpoint);
    const auto dist = endpoint.strip(endpoint.current_frame() % model::count_strips(d.strips, *d.dist));
    const int position = *dist->group().position(rank);
    const std::vector<model::PartAxis> axes = dist->axes(position);
    const model::BufferShape shape = model::buffer_shape(d.layout, dist->extents(position), dist->gdo().type);
    BufferView view{.step_bytes = shape.step_bytes(),
                    .plane = shape.split ? shape.span : 0,
                    .axes = {},
                    .steps = shape.strides};
    int64_t first = 0;
    for (size_t dim = 0; dim < axes.size(); ++dim) {
        const auto even = model::even_axis(axes[dim]);
        // The axis counts an index that a list names again as overlap.
        if (!even || even->size != dist->axis_view(position, dim).owned())
            fail(DRI_ERR_UNSUPPORTED,
                 "transfer '{}': along dimension {} the part of process {} is not evenly spaced, or has overlap "
                 "between its blocks: DRI_dist_get_block describes it",
                 d.name, dim, rank);
        view.axes.push_back(*even);
        first += even->local * shape.strides[dim];
    }
    const bool empty = std::any_of(view.axes.begin(), view.axes.end(),
                                   [](const model::EvenAxis &axis) { return axis.size == 0; });
    view.data = empty ? buffer : buffer + first * view.step_bytes;
    return view;
}

} // namespace dri::commit
