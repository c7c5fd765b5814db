#include "oracle_window.hpp"

#include "commit/window.hpp"
#include "dice.hpp"
#include "oracle_run.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dri::test {

namespace {

// Maximum number of elements of an array that is made longer. Adding a few along each of many dimensions would
// multiply the total by hundreds, and the oracle visits every element.
constexpr int64_t max_walked = 5000;

int64_t product(const Dims &sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

bool may_slide(const SideSpec &spec, size_t d, bool of_sink) {
    if (!spec.boxes.empty() || spec.rules[d].kind != model::CutKind::whole)
        return false;
    return !of_sink || spec.rules[d].overlap.none();
}

void shift(std::vector<plan::StridedCopy> &copies, int64_t src_bytes, int64_t dst_bytes) {
    for (plan::StridedCopy &copy : copies) {
        copy.src_offset += src_bytes;
        copy.dst_offset += dst_bytes;
    }
}

} // namespace

WindowCase make_window_case(const TransferCase &c, bool of_sink, uint64_t seed) {
    Dice dice(seed);
    WindowCase w{c, c, of_sink, 0, Dims(c.root.size(), 0)};
    SideSpec &longer = of_sink ? w.planned.sink : w.planned.source;
    const SideSpec &other = of_sink ? w.planned.source : w.planned.sink;
    for (size_t d = 0; d < c.root.size(); ++d) {
        const int64_t lo = other.offset[d] - longer.offset[d];
        if (!may_slide(longer, d, of_sink) || lo < 0 || lo + other.sizes[d] > longer.sizes[d])
            continue;
        const int64_t more = dice.range(0, 5),
                      walked = product(w.planned.root) / std::max<int64_t>(w.planned.root[d], 1);
        if ((w.planned.root[d] + more) * walked > std::max(max_walked, product(w.planned.root)))
            continue;
        w.planned.root[d] += more;
        longer.sizes[d] += more;
        w.slides |= int64_t{1} << d;
        w.offset[d] = dice.range(-lo, longer.sizes[d] - other.sizes[d] - lo);
    }
    w.moved = w.planned;
    SideSpec &window = of_sink ? w.moved.source : w.moved.sink;
    for (size_t d = 0; d < c.root.size(); ++d)
        window.offset[d] += w.offset[d];
    return w;
}

std::string find_fault(const WindowCase &w, bool forgetful) {
    const planner::Side source = make_side(w.planned, w.planned.source),
                        sink = make_side(w.planned, w.planned.sink);
    const planner::Side &longer = w.of_sink ? sink : source, &other = w.of_sink ? source : sink;
    const model::Gdo *const gdo[]{&other.dist->gdo()};
    const auto bytes_at = [&](int rank) -> int64_t {
        const auto position = longer.dist->group().position(rank);
        if (!position || forgetful)
            return 0;
        const exec::Window window = commit::find_window(
            longer, *position, w.of_sink ? commit::Role::sink : commit::Role::source, w.slides, gdo);
        return window.at({w.offset.begin(), w.offset.size()}).bytes;
    };
    std::vector<plan::Plan> plans;
    for (int rank = 0; rank < w.planned.world(); ++rank) {
        plan::Plan plan = planner::make_plan(source, sink, w.planned.options(), rank, w.planned.node_map());
        const int64_t here = bytes_at(rank), dst = w.of_sink ? here : 0;
        shift(plan.self, here - dst, dst);
        for (plan::Message &m : plan.sends)
            shift(m.copies.change(), here - dst, 0);
        for (plan::Message &m : plan.receives)
            shift(m.copies.change(), 0, dst);
        for (plan::Pull &pull : plan.pulls)
            shift(pull.copies, w.of_sink ? 0 : bytes_at(pull.peer), dst);
        plans.push_back(std::move(plan));
    }
    return find_fault_of(w.moved, std::move(plans));
}

} // namespace dri::test
