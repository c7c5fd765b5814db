// Numbers of parts, owners, equality and texts of maps with a rule per dimension.
#include "domain/grid_map.hpp"

#include "base/checked.hpp"
#include "base/enum_number.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

bool is_edge(int edge) { return edge >= DRI_TRUNCATE && edge <= DRI_PAD_REPLICATE; }

void require_zero(int64_t value, int d, const char *field, const char *kind) {
    if (value != 0)
        fail(DRI_ERR_ARG, "dimension {}: {} is {}, but {} does not use it", d, field, value, kind);
}

void check_rule(const DimRule &rule, int d) {
    for (const int64_t word : rule.reserved)
        require_zero(word, d, "a reserved field", "this version");
    if (rule.nparts < 0)
        fail(DRI_ERR_ARG, "dimension {}: nparts is {}, but must be at least 0", d, rule.nparts);
    const int number = number_of(rule.kind);
    if (number != DRI_WHOLE && number != DRI_BLOCK && number != DRI_BLOCK_CYCLIC)
        fail(DRI_ERR_ARG, "dimension {}: kind is {}, but a map has DRI_WHOLE, DRI_BLOCK or DRI_BLOCK_CYCLIC", d,
             number);
    const char *kind = rule.kind == DRI_WHOLE   ? "DRI_WHOLE"
                       : rule.kind == DRI_BLOCK ? "DRI_BLOCK"
                                                : "DRI_BLOCK_CYCLIC";
    if (rule.kind == DRI_WHOLE && rule.nparts > 1)
        fail(DRI_ERR_ARG, "dimension {}: nparts is {}, but DRI_WHOLE has one part", d, rule.nparts);
    if (rule.kind == DRI_BLOCK) {
        if (rule.lo >= rule.hi || !math::fits_int64(math::Int128(rule.hi) - rule.lo))
            fail(DRI_ERR_ARG, "dimension {}: the bounding box [{}, {}) is empty or too long", d, rule.lo, rule.hi);
        if (rule.left < 0 || rule.right < 0)
            fail(DRI_ERR_ARG, "dimension {}: the overlap is {} and {}, but must be at least 0", d, rule.left,
                 rule.right);
        if (!is_edge(number_of(rule.left_edge)) || !is_edge(number_of(rule.right_edge)))
            fail(DRI_ERR_ARG, "dimension {}: the edges are {} and {}, which are none of DRI_Edge", d,
                 number_of(rule.left_edge), number_of(rule.right_edge));
    } else {
        require_zero(rule.lo, d, "lo", kind);
        require_zero(rule.hi, d, "hi", kind);
        require_zero(rule.left, d, "left", kind);
        require_zero(rule.right, d, "right", kind);
        require_zero(number_of(rule.left_edge), d, "left_edge", kind);
        require_zero(number_of(rule.right_edge), d, "right_edge", kind);
    }
    if (rule.kind == DRI_BLOCK_CYCLIC) {
        if (rule.block < 1)
            fail(DRI_ERR_ARG, "dimension {}: block is {}, but must be at least 1", d, rule.block);
    } else {
        require_zero(rule.start, d, "start", kind);
        require_zero(rule.block, d, "block", kind);
    }
}

// Chapel's rule: prime factors from the least up, each to the smallest number so far; then falling.
std::vector<int> shares_of(int processes, size_t dims) {
    std::vector<int> shares(dims, 1);
    for (int factor = 2; processes > 1; ++factor) {
        if (factor > processes / factor)
            factor = processes; // what is left is prime
        for (; processes % factor == 0; processes /= factor)
            *std::min_element(shares.begin(), shares.end()) *= factor;
    }
    std::sort(shares.rbegin(), shares.rend());
    return shares;
}

void choose_parts(GridMap &map, int processes) {
    int64_t given = 1;
    std::vector<size_t> open;
    for (size_t d = 0; d < map.dims.size(); ++d) {
        DimRule &rule = map.dims[d];
        if (rule.kind == DRI_WHOLE)
            rule.nparts = 1;
        if (rule.nparts == 0)
            open.push_back(d);
        else
            given = checked_mul(given, rule.nparts);
    }
    if (processes % given != 0 || (open.empty() && given != processes))
        fail(DRI_ERR_ARG, "the group has {} processes, but the numbers of parts multiply to {}{}", processes,
             given, open.empty() ? "" : ", which does not divide it");
    if (open.empty())
        return;
    const std::vector<int> shares = shares_of(static_cast<int>(processes / given), open.size());
    for (size_t i = 0; i < open.size(); ++i)
        map.dims[open[i]].nparts = shares[i];
}

std::string rule_text(const DimRule &rule) {
    std::string text;
    if (rule.kind == DRI_WHOLE)
        return "whole";
    if (rule.kind == DRI_BLOCK)
        text = fmt::format("block({{{}..{}}})", rule.lo, rule.hi - 1);
    else if (rule.block == 1)
        text = fmt::format("cyclic({})", rule.start);
    else
        text = fmt::format("block_cyclic({}, {})", rule.start, rule.block);
    if (rule.left || rule.right)
        text += fmt::format("<{}:{}>", rule.left, rule.right);
    return text;
}

std::string part_text(const DimRule &rule, int part) {
    if (rule.kind == DRI_WHOLE)
        return "..";
    if (rule.kind == DRI_BLOCK) {
        const DRI_Range box{rule.lo, 1, rule.hi - rule.lo};
        const AxisRuns own = runs_of(rule, box, part);
        return own.size() == 0 ? "1..0" : text_of(math::undensified(own.box(0), box).value());
    }
    const int64_t first = rule.start + part * rule.block;
    if (rule.block == 1)
        return fmt::format(".. by {} align {}", rule.nparts, first);
    return fmt::format("{}..{} and every {}", first, first + rule.block - 1, rule.nparts * rule.block);
}

} // namespace

GridMap make_grid_map(const DRI_Map_dim dims[], int ndims, int processes) {
    GridMap map;
    for (int d = 0; d < ndims; ++d) {
        check_rule(dims[d], d);
        map.dims.push_back(dims[d]);
    }
    choose_parts(map, processes);
    for (int d = 0; d < ndims; ++d) {
        const DimRule &rule = map.dims[static_cast<size_t>(d)];
        int64_t period = 0;
        if (rule.kind == DRI_BLOCK_CYCLIC && __builtin_mul_overflow(rule.block, int64_t{rule.nparts}, &period))
            fail(DRI_ERR_OVERFLOW, "dimension {}: {} blocks of {} exceed 64 bits", d, rule.nparts, rule.block);
    }
    return map;
}

int owner_of(const GridMap &map, const int64_t index[]) {
    int position = 0;
    for (size_t d = 0; d < map.dims.size(); ++d)
        position = position * map.dims[d].nparts + part_of(map.dims[d], index[d]);
    return position;
}

FixedVector<int, max_dims> coords_of(const GridMap &map, int position) {
    FixedVector<int, max_dims> coords(map.dims.size());
    for (size_t d = map.dims.size(); d-- > 0; position /= map.dims[d].nparts)
        coords[d] = position % map.dims[d].nparts;
    return coords;
}

bool are_equal(const GridMap &a, const GridMap &b) {
    return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                      [](const DimRule &x, const DimRule &y) { return normal_rule(x) == normal_rule(y); });
}

std::string rule_text(const GridMap &map) {
    std::string text;
    for (const DimRule &rule : map.dims)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", rule_text(rule));
    return text;
}

std::string part_text(const GridMap &map, int position) {
    const auto coords = coords_of(map, position);
    std::string text = "{";
    for (size_t d = 0; d < map.dims.size(); ++d)
        text += fmt::format("{}{}", d ? ", " : "", part_text(map.dims[d], coords[d]));
    return text + "}";
}

} // namespace dri::domain
