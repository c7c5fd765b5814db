#include "geometry.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace bench {

using dri::test::CaseLine;
using dri::test::CaseRule;
using dri::test::CaseSide;

namespace {

int64_t product(const Dims &values) {
    return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

// First index of part p of a block distribution of n indices over `parts`.
int64_t block_begin(const CaseRule &rule, int64_t n, int64_t parts, int64_t p) {
    const int64_t small = n / parts;
    const int64_t larger_parts = n % parts;
    switch (rule.remainder) {
    case CaseRule::Remainder::balanced: return p * small + std::min(p, larger_parts);
    case CaseRule::Remainder::last: return p * small + std::max<int64_t>(0, p - (parts - larger_parts));
    case CaseRule::Remainder::ceil: return std::min(n, p * ((n + parts - 1) / parts));
    case CaseRule::Remainder::proportional: break;
    }
    return (p * n + parts - 1) / parts; // the smallest i with floor(i * parts / n) >= p
}

std::vector<Run> runs_of(const CaseRule &rule, int64_t n, int64_t parts, int64_t p) {
    std::vector<Run> runs;
    const auto add = [&](int64_t begin, int64_t end) {
        if (end > begin)
            runs.push_back({begin, end - begin});
    };
    switch (rule.kind) {
    case CaseRule::Kind::whole: add(0, n); break;
    case CaseRule::Kind::block: add(block_begin(rule, n, parts, p), block_begin(rule, n, parts, p + 1)); break;
    case CaseRule::Kind::cyclic:
        for (int64_t begin = p * rule.block; begin < n; begin += parts * rule.block)
            add(begin, std::min(n, begin + rule.block));
        break;
    case CaseRule::Kind::sizes: {
        const auto mine = rule.sizes.begin() + p;
        const int64_t begin = std::accumulate(rule.sizes.begin(), mine, int64_t{0});
        add(begin, begin + *mine);
        break;
    }
    }
    return runs;
}

Dims grid_of(const CaseLine &line, const CaseSide &side, int processes, const char *name,
             const ChooseGrid &choose_grid) {
    Dims grid;
    for (const CaseRule &rule : side.rules)
        grid.push_back(rule.kind == CaseRule::Kind::whole   ? 1
                       : rule.kind == CaseRule::Kind::sizes ? static_cast<int64_t>(rule.sizes.size())
                                                            : rule.parts);
    int64_t fixed = 1;
    for (const int64_t parts : grid)
        if (parts != 0 && (fixed *= parts) > processes)
            throw std::invalid_argument("case \"" + print_case_line(line) + "\": the " + name +
                                        " has more parts than there are processes (" + std::to_string(processes) +
                                        ")");
    const auto open = std::count(grid.begin(), grid.end(), 0);
    if (open > 0 && processes % fixed != 0)
        throw std::invalid_argument("case \"" + print_case_line(line) + "\": " + std::to_string(processes) +
                                    " processes are not a multiple of the " + std::to_string(fixed) +
                                    " parts that the " + name + " specifies");
    if (open == 1)
        std::replace(grid.begin(), grid.end(), int64_t{0}, processes / fixed);
    else if (open > 1)
        grid = choose_grid(line, side, processes);
    return grid;
}

Part part_at(const CaseSide &side, const Dims &sizes, const Dims &grid, int64_t position) {
    Part part;
    part.runs.resize(sizes.size());
    part.extents.resize(sizes.size());
    for (size_t dim = sizes.size(); dim-- > 0;) { // row-major: the last coordinate varies fastest
        part.runs[dim] = runs_of(side.rules[dim], sizes[dim], grid[dim], position % grid[dim]);
        position /= grid[dim];
        for (const Run &run : part.runs[dim])
            part.extents[dim] += run.count;
    }
    part.count = product(part.extents);
    part.order = side.order;
    part.strides = packed_strides(part.extents, side.order);
    return part;
}

Side resolve_side(const CaseLine &line, const CaseSide &side, int processes, const char *name,
                  const ChooseGrid &choose_grid) {
    const Dims grid = grid_of(line, side, processes, name, choose_grid);
    Side resolved{side.order, {}, grid, static_cast<int>(product(grid))};
    Part empty;
    empty.runs.resize(line.sizes.size());
    empty.extents.resize(line.sizes.size());
    empty.order = side.order;
    empty.strides = packed_strides(empty.extents, side.order);
    for (int p = 0; p < processes; ++p)
        resolved.parts.push_back(p < resolved.processes ? part_at(side, line.sizes, grid, p) : empty);
    return resolved;
}

} // namespace

bool Part::is_box() const {
    return std::all_of(runs.begin(), runs.end(), [](const auto &dim_runs) { return dim_runs.size() <= 1; });
}

bool Side::has_boxes_only() const {
    return std::all_of(parts.begin(), parts.end(), [](const Part &part) { return part.is_box(); });
}

int64_t Case::bytes() const { return element_bytes * product(sizes); }

Case resolve(const CaseLine &line, int processes, const ChooseGrid &choose_grid) {
    CaseLine with_dims = line;
    if (line.sizes.empty()) {
        with_dims.sizes = {1};
        with_dims.source = with_dims.sink = {{CaseRule{}}, {0}};
    }
    return {line, line.element_bytes, with_dims.sizes,
            resolve_side(with_dims, with_dims.source, processes, "source", choose_grid),
            resolve_side(with_dims, with_dims.sink, processes, "sink", choose_grid)};
}

Box intersection(const Part &a, const Part &b) {
    const size_t ndims = a.runs.size();
    Box box{Dims(ndims), Dims(ndims), 1};
    for (size_t dim = 0; dim < ndims; ++dim) {
        if (a.runs[dim].empty() || b.runs[dim].empty())
            return {Dims(ndims), Dims(ndims), 0};
        const Run &ra = a.runs[dim].front();
        const Run &rb = b.runs[dim].front();
        box.begin[dim] = std::max(ra.begin, rb.begin);
        box.extents[dim] =
            std::max<int64_t>(0, std::min(ra.begin + ra.count, rb.begin + rb.count) - box.begin[dim]);
        box.count *= box.extents[dim];
    }
    return box;
}

int64_t offset_in(const Part &part, const Box &box) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < box.begin.size(); ++dim)
        if (box.count > 0)
            offset += (box.begin[dim] - part.runs[dim].front().begin) * part.strides[dim];
    return offset;
}

Dims packed_strides(const Dims &extents, const std::vector<int> &order) {
    Dims strides(extents.size());
    int64_t stride = 1;
    for (size_t k = order.size(); k-- > 0;) {
        const auto dim = static_cast<size_t>(order[k]);
        strides[dim] = stride;
        stride *= std::max<int64_t>(extents[dim], 1);
    }
    return strides;
}

} // namespace bench
