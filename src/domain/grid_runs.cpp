// Which members of a range a part owns, in closed form.
#include "base/checked.hpp"
#include "domain/grid_map.hpp"

#include <algorithm>
#include <numeric>

namespace dri::domain {

namespace {

// The first index of a part of a block rule, for parts 1 to nparts - 1. Index i has part floor((i - lo) p / n), so
// part c starts at the least i with (i - lo) p >= c n.
int64_t start_of(const DimRule &rule, int part) {
    const math::Int128 product = math::Int128(rule.hi - rule.lo) * part, parts = rule.nparts;
    return rule.lo + static_cast<int64_t>((product + parts - 1) / parts);
}

// How many members of the range come before the first one that is not below the bound, in rising order.
int64_t members_below(const DRI_Range &range, int64_t bound) {
    const math::Int128 step = math::magnitude(range.stride), above = math::Int128(bound) - math::low_of(range);
    return above <= 0 ? 0 : static_cast<int64_t>(std::min<math::Int128>((above + step - 1) / step, range.size));
}

AxisRuns stretch(int64_t first, int64_t size) { return size > 0 ? AxisRuns({{first, size, 1, 0}}) : AxisRuns(); }

AxisRuns block_runs(const DimRule &rule, const DRI_Range &range, int part) {
    const int64_t n = range.size;
    const int64_t from = part == 0 ? 0 : members_below(range, start_of(rule, part));
    const int64_t to = part == rule.nparts - 1 ? n : members_below(range, start_of(rule, part + 1));
    return stretch(range.stride > 0 ? from : n - to, to - from);
}

// Single indices: dense index k has part (o + k s) modulo p, so those of a part are evenly spaced.
AxisRuns cyclic_runs(const DimRule &rule, const DRI_Range &range, int part) {
    const math::Int128 p = rule.nparts;
    const math::Int128 step = math::modulo(range.stride, p);
    const math::Int128 wanted = math::modulo(part - (math::Int128(range.first) - rule.start), p);
    if (step == 0)
        return wanted == 0 ? stretch(0, range.size) : AxisRuns();
    const math::Int128 both = std::gcd(static_cast<int64_t>(step), int64_t{rule.nparts});
    if (wanted % both != 0)
        return {};
    const math::Int128 period = p / both;
    const auto first =
        static_cast<int64_t>(wanted / both % period * math::inverse_modulo(step / both, period) % period);
    if (first >= range.size)
        return {};
    if (period == 1)
        return stretch(0, range.size);
    const auto apart = static_cast<int64_t>(period);
    const int64_t count = (range.size - 1 - first) / apart + 1;
    return AxisRuns({{first, 1, count, count == 1 ? 0 : apart}});
}

// Blocks of a range of stride 1 whose first index lies `inside` its block, which belongs to part `block_part`: the
// rest of that block if it is the part's, then whole blocks, then a part of the last one.
AxisRuns unit_runs(int64_t size, int64_t block, int parts, int64_t inside, int64_t block_part, int part) {
    std::vector<DRI_Run> runs;
    const int64_t period = block * parts;
    // How many blocks after the first one the part has its first one.
    const int64_t blocks = (part - block_part + parts) % parts;
    int64_t next = blocks * block - inside; // where it starts
    if (next < 0) {
        append_stretch(runs, 0, std::min(size, next + block));
        if (next > size - period)
            return AxisRuns(std::move(runs));
        next += period;
    }
    if (next <= size - block) {
        const int64_t count = (size - block - next) / period + 1;
        runs.push_back({next, block, count, count == 1 ? 0 : period});
        if (count > (size - 1 - next) / period)
            return AxisRuns(std::move(runs));
        next += count * period;
    }
    if (next < size)
        runs.push_back({next, size - next, 1, 0});
    return AxisRuns(std::move(runs));
}

// Any stride: a walk over the blocks that have members, or over the members if blocks are shorter than the stride.
AxisRuns strided_runs(const DimRule &rule, const DRI_Range &range, int part) {
    std::vector<DRI_Run> runs;
    const int64_t period = rule.block * rule.nparts, width = range.stride < 0 ? -range.stride : range.stride;
    for (int64_t k = 0; k < range.size;) {
        const auto at =
            static_cast<int64_t>(math::modulo(math::Int128(math::member_at(range, k)) - rule.start, period));
        const int64_t inside = at % rule.block;
        const int64_t ahead = range.stride > 0 ? rule.block - 1 - inside : inside; // indices left in the block
        const int64_t members = std::min(ahead / width + 1, range.size - k);
        if (at / rule.block == part)
            append_stretch(runs, k, members);
        k += members;
    }
    return AxisRuns(std::move(runs));
}

AxisRuns block_cyclic_runs(const DimRule &rule, const DRI_Range &range, int part) {
    if (rule.nparts == 1)
        return stretch(0, range.size);
    if (rule.block == 1)
        return cyclic_runs(rule, range, part);
    if (range.stride != 1 && range.stride != -1)
        return strided_runs(rule, range, part);
    const int64_t period = rule.block * rule.nparts;
    const auto at = static_cast<int64_t>(math::modulo(math::Int128(range.first) - rule.start, period));
    if (range.stride == 1)
        return unit_runs(range.size, rule.block, rule.nparts, at % rule.block, at / rule.block, part);
    // Downwards everything is the mirror image: parts, too, count from the other end.
    const int64_t mirrored = period - 1 - at;
    return unit_runs(range.size, rule.block, rule.nparts, mirrored % rule.block, mirrored / rule.block,
                     rule.nparts - 1 - part);
}

} // namespace

int part_of(const DimRule &rule, int64_t index) {
    if (rule.nparts == 1)
        return 0;
    if (rule.kind == DRI_BLOCK) {
        if (index < rule.lo)
            return 0;
        if (index >= rule.hi)
            return rule.nparts - 1;
        int64_t product; // short boxes need no division of 128 bits
        if (!__builtin_mul_overflow(index - rule.lo, int64_t{rule.nparts}, &product))
            return static_cast<int>(product / (rule.hi - rule.lo));
        return static_cast<int>(math::Int128(index - rule.lo) * rule.nparts / (rule.hi - rule.lo));
    }
    int64_t distance;
    if (__builtin_sub_overflow(index, rule.start, &distance))
        return static_cast<int>(
            math::modulo(math::Int128(index) - rule.start, math::Int128(rule.block) * rule.nparts) / rule.block);
    const int64_t block = rule.block == 1 ? distance : floor_div(distance, rule.block);
    const int64_t part = block % rule.nparts;
    return static_cast<int>(part < 0 ? part + rule.nparts : part);
}

std::vector<int64_t> normal_rule(const DimRule &rule) {
    std::vector<int64_t> numbers{rule.kind, rule.nparts, rule.left, rule.right};
    numbers.push_back(rule.left > 0 ? rule.left_edge : DRI_TRUNCATE);
    numbers.push_back(rule.right > 0 ? rule.right_edge : DRI_TRUNCATE);
    if (rule.kind == DRI_BLOCK) {
        numbers.push_back(rule.lo);
        numbers.push_back(rule.hi);
    }
    if (rule.kind == DRI_BLOCK_CYCLIC && rule.nparts > 1) { // one part has all indices
        numbers.push_back(rule.block);
        numbers.push_back(static_cast<int64_t>(math::modulo(rule.start, math::Int128(rule.block) * rule.nparts)));
    }
    return numbers;
}

AxisRuns runs_of(const DimRule &rule, const DRI_Range &range, int part) {
    if (range.size == 0)
        return {};
    switch (rule.kind) {
    case DRI_BLOCK: return block_runs(rule, range, part);
    case DRI_BLOCK_CYCLIC: return block_cyclic_runs(rule, range, part);
    default: return stretch(0, range.size);
    }
}

} // namespace dri::domain
