// Partitions: checks the fields of each rule, and gives text and wire form.
#include "model/partition.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <cmath>

namespace dri::model {

namespace {

void require(bool holds, size_t dim, const char *what, int64_t value) {
    if (!holds)
        fail(DRI_ERR_ARG, "dimension {}: {} (it is {})", dim, what, value);
}

void check_weights(const CutRule &r, size_t dim) {
    bool any = false;
    for (size_t c = 0; c < r.weights.size(); ++c) {
        const double w = r.weights[c];
        if (!std::isfinite(w) || w < 0)
            fail(DRI_ERR_ARG, "dimension {}: weight {} is {}, but must be finite and not negative", dim, c, w);
        any = any || w > 0;
    }
    if (!any)
        fail(DRI_ERR_ARG, "dimension {}: all {} weights are 0, but one must be positive", dim, r.weights.size());
}

} // namespace

// Checks what needs neither the size of a dimension nor the group; Cut and Boxes check the rest.
void check_rule(const CutRule &r, size_t dim) {
    require(r.nparts >= 0, dim, "nparts must not be negative", r.nparts);
    require(r.min >= 0, dim, "min must not be negative", r.min);
    require(r.max >= 0, dim, "max must not be negative", r.max);
    require(r.multiple >= 0, dim, "multiple must not be negative", r.multiple);
    // A max of 0 is no limit.
    if (r.max != 0 && r.max < r.min)
        fail(DRI_ERR_ARG, "dimension {}: max is {}, but must not be smaller than min, {}", dim, r.max, r.min);
    // A field that belongs to another kind must be 0. A value there shows that the caller expects another kind of
    // cut.
    require(r.kind == CutKind::block || r.remainder == Remainder::balanced, dim,
            "remainder belongs to kind DRI_BLOCK and must be 0 elsewhere", static_cast<int64_t>(r.remainder));
    require(r.overlap.left >= 0, dim, "left must not be negative", r.overlap.left);
    require(r.overlap.right >= 0, dim, "right must not be negative", r.overlap.right);
    if (r.kind == CutKind::block_cyclic)
        require(r.block >= 1, dim, "block of kind DRI_BLOCK_CYCLIC must be at least 1", r.block);
    else
        require(r.block == 0, dim, "block belongs to kind DRI_BLOCK_CYCLIC and must be 0 elsewhere", r.block);
    require(r.kind == CutKind::block_cyclic || r.phase == 0, dim,
            "phase belongs to kind DRI_BLOCK_CYCLIC and must be 0 elsewhere", r.phase);
    require(r.phase >= 0, dim, "phase must not be negative", r.phase);
    if (r.nparts > 0 && r.phase >= r.nparts)
        fail(DRI_ERR_ARG, "dimension {}: phase is {}, but there are {} parts, counted from 0", dim, r.phase,
             r.nparts);
    if (r.kind == CutKind::whole)
        require(r.nparts <= 1, dim, "a dimension of kind DRI_WHOLE has one part, nparts must be 0 or 1", r.nparts);
    if (r.kind == CutKind::sizes) {
        require(r.nparts >= 1, dim, "kind DRI_SIZES needs nparts", r.nparts);
        int64_t total = 0;
        for (size_t c = 0; c < r.sizes.size(); ++c) {
            require(r.sizes[c] >= 0, dim, "a size of kind DRI_SIZES must not be negative", r.sizes[c]);
            // Checked here once, so that Cut can add the sizes without a check.
            if (__builtin_add_overflow(total, r.sizes[c], &total))
                fail(DRI_ERR_OVERFLOW, "dimension {}: the sum of sizes[0] to sizes[{}] does not fit into 64 bits",
                     dim, c);
        }
    }
    if (r.kind == CutKind::weights) {
        require(r.nparts >= 1, dim, "kind DRI_WEIGHTS needs nparts", r.nparts);
        check_weights(r, dim);
    }
    for (const IndexList &list : r.lists)
        for (const Runs &runs : list)
            require(runs.global >= 0, dim, "an index of kind DRI_INDICES must not be negative", runs.global);
    if (r.kind == CutKind::exact) {
        require(r.lo >= 0, dim, "left_x must not be negative", r.lo);
        if (r.hi < r.lo)
            fail(DRI_ERR_ARG, "dimension {}: right_x is {}, but must not be smaller than left_x, {}", dim, r.hi,
                 r.lo);
    }
}

bool is_exact(const Partition &partition) { return !partition.empty() && partition[0].kind == CutKind::exact; }

Partition with_edges(const Partition &partition, std::span<const Edge> left, std::span<const Edge> right) {
    Partition out = partition;
    for (size_t d = 0; d < out.size(); ++d) {
        out[d].overlap.left_edge = left[d];
        out[d].overlap.right_edge = right[d];
    }
    return out;
}

// A rule keeps its lists and overlap, so a turned partition matches an array with turned dimensions.
Partition turn(const Partition &partition, std::span<const int> perm) {
    const auto n = static_cast<int>(partition.size());
    std::vector<bool> seen(partition.size(), false);
    Partition turned;
    for (int i = 0; i < n; ++i) {
        const int from = perm[static_cast<size_t>(i)];
        if (from < 0 || from >= n || seen[static_cast<size_t>(from)])
            fail(DRI_ERR_ARG, "perm is not a permutation of the {} dimensions: perm[{}] is {}", n, i, from);
        seen[static_cast<size_t>(from)] = true;
        turned.push_back(partition[static_cast<size_t>(from)]);
    }
    return turned;
}

// The order of fields is that of get_cut_rule(). All fields are written, because distributions count as equal if
// these bytes are equal. Fields that do not belong to the kind are 0 and therefore make no difference.
void put(Writer &out, const CutRule &rule, const IndexedParts *lists) {
    out.put(rule.kind);
    out.put(rule.nparts);
    out.put(rule.remainder);
    out.put(rule.block);
    out.put(rule.phase);
    out.put_all(rule.sizes);
    out.put_all(rule.weights);
    out.put(lists ? lists->size() : std::ssize(rule.lists));
    for (int64_t c = 0; lists && c < lists->size(); ++c)
        lists->part(c).put(out);
    for (const IndexList &list : rule.lists)
        put(out, list);
    out.put(rule.lo);
    out.put(rule.hi);
    out.put(rule.min);
    out.put(rule.max);
    out.put(rule.multiple);
    out.put(rule.overlap.left);
    out.put(rule.overlap.right);
    out.put(rule.overlap.left_edge);
    out.put(rule.overlap.right_edge);
}

// Checks what check_rule() relies on.
CutRule get_cut_rule(Reader &in) {
    CutRule rule;
    rule.kind = in.get<CutKind>();
    rule.nparts = in.get<int64_t>();
    rule.remainder = in.get<Remainder>();
    rule.block = in.get<int64_t>();
    rule.phase = in.get<int64_t>();
    rule.sizes = in.get_all<std::vector<int64_t>>();
    rule.weights = in.get_all<std::vector<double>>();
    for (auto lists = in.get<int64_t>(); lists > 0; --lists) // each has bytes, so the loop ends
        rule.lists.push_back(get_index_list(in));
    rule.lo = in.get<int64_t>();
    rule.hi = in.get<int64_t>();
    rule.min = in.get<int64_t>();
    rule.max = in.get<int64_t>();
    rule.multiple = in.get<int64_t>();
    rule.overlap.left = in.get<int64_t>();
    rule.overlap.right = in.get<int64_t>();
    rule.overlap.left_edge = in.get<Edge>();
    rule.overlap.right_edge = in.get<Edge>();
    const auto known = [](auto value, auto last) { return static_cast<int>(value) >= 0 && value <= last; };
    if (!known(rule.kind, CutKind::exact) || !known(rule.remainder, Remainder::proportional) ||
        !known(rule.overlap.left_edge, Edge::pad_replicate) ||
        !known(rule.overlap.right_edge, Edge::pad_replicate))
        fail(DRI_ERR_INTERNAL, "a rule has an unknown kind, remainder or edge");
    const auto belongs = [&](const auto &values, CutKind kind) {
        return std::ssize(values) == (rule.kind == kind ? rule.nparts : 0);
    };
    if (!belongs(rule.sizes, CutKind::sizes) || !belongs(rule.weights, CutKind::weights) ||
        (rule.kind != CutKind::indices && !rule.lists.empty()))
        fail(DRI_ERR_INTERNAL, "a rule has numbers of another kind");
    return rule;
}

// nparts is an argument, because a rule may leave the number open until the group is known. Lists of indices are
// left out, because they may be long.
std::string to_text(const CutRule &rule, int64_t nparts) {
    std::string limits;
    if (rule.min)
        limits += fmt::format(",min={}", rule.min);
    if (rule.max)
        limits += fmt::format(",max={}", rule.max);
    if (rule.multiple)
        limits += fmt::format(",multiple={}", rule.multiple);
    const std::string overlap = to_text(rule.overlap);
    switch (rule.kind) {
    case CutKind::whole: return "*" + overlap;
    case CutKind::block_cyclic:
        return fmt::format("cyclic({},{}{}{}){}", nparts, rule.block,
                           rule.phase ? fmt::format(",phase={}", rule.phase) : "", limits, overlap);
    case CutKind::sizes: return fmt::format("sizes({}{}){}", fmt::join(rule.sizes, ":"), limits, overlap);
    case CutKind::weights: return fmt::format("weights({}{}){}", fmt::join(rule.weights, ":"), limits, overlap);
    case CutKind::indices: return fmt::format("indices({}{}){}", nparts, limits, overlap);
    case CutKind::exact: return "exact" + overlap;
    case CutKind::block: break;
    }
    const char *remainder = "";
    if (rule.remainder == Remainder::balanced_last)
        remainder = ",last";
    if (rule.remainder == Remainder::ceil)
        remainder = ",ceil";
    if (rule.remainder == Remainder::proportional)
        remainder = ",prop";
    return fmt::format("block({}{}{}){}", nparts, remainder, limits, overlap);
}

} // namespace dri::model
