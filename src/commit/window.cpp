// A window is the box of elements that both sides of a transfer hold. To slide, a step of the window along a
// dimension must be a constant distance in the local buffer. The dimension must therefore be whole on the process.
#include "commit/window.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Whether the part at that position has no elements: some dimension has no block.
bool holds_nothing(const model::Distribution &dist, int position) {
    for (size_t d = 0; d < dist.ndims(); ++d)
        if (dist.axis_view(position, d).num_blocks() == 0)
            return true;
    return false;
}

// The local index of global index 0, if all n indices are owned and lie in their order without gaps.
std::optional<int64_t> first_if_contiguous(const model::PartAxis &axis, int64_t n) {
    int64_t next = 0;
    std::optional<int64_t> first;
    for (const model::Runs &runs : axis.owned.lists()) {
        first = first.value_or(runs.local);
        const bool follow = runs.count == 1 || (runs.global_step == runs.size && runs.local_step == runs.size);
        if (!follow || runs.global != next || runs.local != *first + next)
            return std::nullopt;
        next += runs.count * runs.size;
    }
    return next == n ? first : std::nullopt;
}

// The half-open range of indices, along one dimension of an endpoint's array, that the other side holds too.
struct Stretch {
    int64_t lo = 0, hi = 0;
};

Stretch common_stretch(const model::Gdo &one, const model::Gdo &other, size_t d) {
    const int64_t n = one.sizes[d], start = other.offset[d] - one.offset[d];
    const int64_t lo = std::clamp<int64_t>(start, 0, n);
    return {lo, std::clamp<int64_t>(start + other.sizes[d], lo, n)};
}

// With several sinks the window is the smallest range that contains what any of them holds: their windows move
// together.
Stretch common_stretch(const model::Gdo &one, std::span<const model::Gdo *const> others, size_t d) {
    Stretch all = common_stretch(one, *others.front(), d);
    for (const model::Gdo *other : others.subspan(1)) {
        const Stretch next = common_stretch(one, *other, d);
        all = {std::min(all.lo, next.lo), std::max(all.hi, next.hi)};
    }
    return all;
}

// The local index of global index 0. Fails unless the window can slide along dimension d. A sink must have no
// overlap there; overlap of a source is not sent and does no harm.
int64_t check_slides(const model::PartAxis &axis, int64_t n, size_t d, Role role, int rank) {
    const auto first = first_if_contiguous(axis, n);
    if (!first)
        fail(DRI_ERR_UNSUPPORTED,
             "DRI_ATTR_REBASE lets the window slide along dimension {} of the {}, but that dimension is cut: "
             "process {} "
             "does not hold all {} elements along it, one after the other",
             d, role_name(role), rank, n);
    if (role == Role::sink && axis.extent != n)
        fail(DRI_ERR_UNSUPPORTED,
             "DRI_ATTR_REBASE lets the window slide along dimension {} of the {}, but process {} has overlap "
             "there: its part has {} elements along it, the array {}",
             d, role_name(role), rank, axis.extent, n);
    return *first;
}

} // namespace

// lowest and highest keep the window inside the array. first_byte and bytes cover the window at offset 0; both
// stay 0 if the process holds nothing of it.
exec::Window find_window(const planner::Side &side, int position, Role role, int64_t slides,
                         std::span<const model::Gdo *const> others) {
    const model::Distribution &dist = *side.dist;
    const std::vector<model::PartAxis> axes = dist.axes(position);
    const model::BufferShape shape = planner::buffer_shape_of(side, position);
    const bool holds_some = !holds_nothing(dist, position);
    bool reaches = holds_some;
    exec::Window window;
    int64_t end_byte = shape.step_bytes() + (shape.split ? shape.part_bytes() : 0);
    for (size_t d = 0; d < dist.ndims(); ++d) {
        const int64_t n = dist.gdo().sizes[d], step = shape.strides[d] * shape.step_bytes();
        window.step_bytes.push_back(step);
        if ((slides >> d & 1) == 0) {
            window.lowest.push_back(0);
            window.highest.push_back(0);
            end_byte += (axes[d].extent - 1) * step;
            continue;
        }
        const int64_t first = holds_some ? check_slides(axes[d], n, d, role, dist.group().rank(position)) : 0;
        const Stretch common = common_stretch(dist.gdo(), others, d);
        window.lowest.push_back(-common.lo);
        window.highest.push_back(n - common.hi);
        window.first_byte += (first + common.lo) * step;
        end_byte += (first + common.hi - 1) * step;
        reaches = reaches && common.lo < common.hi;
    }
    if (reaches)
        window.bytes = end_byte - window.first_byte;
    else
        window.first_byte = 0;
    return window;
}

void add_windows(Planned &planned) {
    const MatchedTransfer &matched = *planned.matched;
    const auto window_of = [&](const std::shared_ptr<Endpoint> &endpoint, const planner::Side &side,
                               std::span<const model::Gdo *const> others) -> std::shared_ptr<const exec::Window> {
        const int64_t slides = endpoint ? endpoint->declaration().attributes.rebase : 0;
        if (slides == 0)
            return nullptr;
        try {
            return std::make_shared<const exec::Window>(find_window(
                side, *side.dist->group().position(matched.rank), endpoint->declaration().role, slides, others));
        } catch (const Error &error) {
            fail(error.code(), "transfer '{}': {}", matched.name, error.what());
        }
    };
    std::vector<const model::Gdo *> sinks;
    for (const planner::Side &sink : matched.sinks)
        sinks.push_back(&sink.dist->gdo());
    planned.source_window = window_of(planned.source_endpoint, matched.source, sinks);
    const model::Gdo *const source[]{&matched.source.dist->gdo()};
    for (PlannedFlow &flow : planned.flows)
        flow.window = window_of(flow.endpoint, matched.sinks[flow.sink], source);
}

} // namespace dri::commit
