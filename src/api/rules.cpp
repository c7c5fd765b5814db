// Translates rules of dimensions from the interface to the model and back.
#include "api/rules.hpp"

#include "api/arrays.hpp"
#include "base/checked.hpp"
#include "model/index_lists.hpp"
#include "model/part_axis.hpp"

#include <limits>

namespace dri::api {

namespace {

static_assert(sizeof(DRI_Part_dim) == 152, "compiled programs hold arrays of it");

// These functions translate every enumerator by its name. A C program may pass any number; unknown ones fail here.
model::CutKind kind_of(int kind, size_t dim) {
    switch (kind) {
    case DRI_WHOLE: return model::CutKind::whole;
    case DRI_BLOCK: return model::CutKind::block;
    case DRI_BLOCK_CYCLIC: return model::CutKind::block_cyclic;
    case DRI_SIZES: return model::CutKind::sizes;
    case DRI_WEIGHTS: return model::CutKind::weights;
    case DRI_INDICES:
    case DRI_RUNS: return model::CutKind::indices;
    case DRI_PIECES:
        fail(DRI_ERR_ARG, "dimension {}: kind is DRI_PIECES, but DRI_part_create makes exact pieces", dim);
    }
    fail(DRI_ERR_ARG, "dimension {}: kind is {}, which is not a DRI_Part_kind", dim, kind);
}

model::Remainder remainder_of(int remainder, size_t dim) {
    switch (remainder) {
    case DRI_BALANCED: return model::Remainder::balanced;
    case DRI_BALANCED_LAST: return model::Remainder::balanced_last;
    case DRI_CEIL: return model::Remainder::ceil;
    case DRI_PROPORTIONAL: return model::Remainder::proportional;
    }
    fail(DRI_ERR_ARG, "dimension {}: remainder is {}, which is not a DRI_Remainder", dim, remainder);
}

} // namespace

model::Edge edge_of(int edge, size_t dim, const char *name) {
    switch (edge) {
    case DRI_TRUNCATE: return model::Edge::truncate;
    case DRI_WRAP: return model::Edge::wrap;
    case DRI_PAD_ZERO: return model::Edge::pad_zero;
    case DRI_PAD_REPLICATE: return model::Edge::pad_replicate;
    }
    fail(DRI_ERR_ARG, "dimension {}: {} is {}, which is not a DRI_Edge", dim, name, edge);
}

namespace {

// An array that belongs to one kind of rule. With that kind it has n values; with any other it must be NULL.
template <class T>
std::vector<T> values_of(const T *values, int64_t n, bool belongs, size_t dim, const char *name,
                         const char *kind) {
    // Checked before n: an array for another kind is an error even if it is empty.
    if (!belongs && values)
        fail(DRI_ERR_ARG, "dimension {}: {} are for kind {} only and must be NULL for other kinds", dim, name,
             kind);
    if (!belongs || n <= 0)
        return {};
    if (!values)
        fail(DRI_ERR_ARG, "dimension {}: kind {} needs {}", dim, kind, name);
    if (n > std::numeric_limits<int64_t>::max() / static_cast<int64_t>(sizeof(T)))
        fail(DRI_ERR_ARG, "dimension {}: {} {} are more than fit into memory", dim, n, name);
    // A copy: the user may change or free the array after the call.
    return {values, values + n};
}

constexpr int64_t max_index = std::numeric_limits<int64_t>::max() - 1;

// The number of entries of a list. Other kinds must leave it 0.
void check_length(int64_t n, bool belongs, size_t dim, const char *name, const char *kind) {
    if (n < 0 || (!belongs && n != 0))
        fail(DRI_ERR_ARG, "dimension {}: {} is {}, but must be at least 0, and 0 unless kind is {}", dim, name, n,
             kind);
}

// The list of this process's own part. Those of the other parts arrive in DRI_dist_create.
void add_indices(model::CutRule &rule, const DRI_Part_dim &from, size_t dim) {
    const bool belongs = number_of(from.kind) == DRI_INDICES;
    check_length(from.nindices, belongs, dim, "nindices", "DRI_INDICES");
    const auto indices = values_of(from.indices, from.nindices, belongs, dim, "indices", "DRI_INDICES");
    for (size_t i = 0; i < indices.size(); ++i)
        // The largest number is refused, because the end of a range, one past its last index, must fit as well.
        if (indices[i] < 0 || indices[i] > max_index)
            fail(DRI_ERR_ARG, "dimension {}: indices[{}] is {}, but must be 0 to 2^63 - 2", dim, i, indices[i]);
    if (belongs)
        rule.lists.push_back(model::compress(indices));
}

// One run of the user. Its lowest and its highest index must be indices; all others are between them.
model::Runs run_of(const DRI_Run &run, size_t dim, size_t at) {
    if (run.first < 0 || run.first > max_index)
        fail(DRI_ERR_ARG, "dimension {}: first of runs[{}] is {}, but must be 0 to 2^63 - 2", dim, at, run.first);
    if (run.size < 1 || run.count < 1)
        fail(DRI_ERR_ARG, "dimension {}: size of runs[{}] is {} and count is {}, but both must be at least 1", dim,
             at, run.size, run.count);
    const Wide way = Wide{run.count - 1} * run.step, lowest = run.first + std::min<Wide>(way, 0);
    if (lowest < 0 || run.first + std::max<Wide>(way, 0) + run.size - 1 > max_index)
        fail(DRI_ERR_ARG,
             "dimension {}: runs[{}] leaves the indices 0 to 2^63 - 2: first is {}, size {}, count {}, step {}",
             dim, at, run.first, run.size, run.count, run.step);
    return {run.first, run.size, run.count, run.count > 1 ? run.step : 0, 0, 0};
}

void add_runs(model::CutRule &rule, const DRI_Part_dim &from, size_t dim) {
    const bool belongs = number_of(from.kind) == DRI_RUNS;
    check_length(from.nruns, belongs, dim, "nruns", "DRI_RUNS");
    const auto given = values_of(from.runs, from.nruns, belongs, dim, "runs", "DRI_RUNS");
    std::vector<model::Runs> runs;
    Wide length = 0;
    for (const DRI_Run &run : given) {
        runs.push_back(run_of(run, dim, runs.size()));
        length += Wide{run.size} * run.count;
        if (length > std::numeric_limits<int64_t>::max())
            fail(DRI_ERR_OVERFLOW, "dimension {}: the indices of runs[0] to runs[{}] are more than 64 bits count",
                 dim, runs.size() - 1);
    }
    if (belongs)
        rule.lists.push_back(model::join(runs));
}

} // namespace

model::CutRule rule_of(const DRI_Part_dim &from, size_t dim) {
    model::CutRule rule;
    rule.kind = kind_of(number_of(from.kind), dim);
    rule.nparts = from.nparts;
    rule.remainder = remainder_of(number_of(from.remainder), dim);
    rule.block = from.block;
    rule.phase = from.phase;
    rule.sizes = values_of(from.sizes, from.nparts, rule.kind == model::CutKind::sizes, dim, "sizes", "DRI_SIZES");
    rule.weights =
        values_of(from.weights, from.nparts, rule.kind == model::CutKind::weights, dim, "weights", "DRI_WEIGHTS");
    add_indices(rule, from, dim);
    add_runs(rule, from, dim);
    rule.min = from.min;
    rule.max = from.max;
    rule.multiple = from.multiple;
    rule.overlap = {from.left, from.right, edge_of(number_of(from.left_edge), dim, "left_edge"),
                    edge_of(number_of(from.right_edge), dim, "right_edge")};
    // Reserved words must be 0, so that a later version can give them a meaning.
    for (size_t i = 0; i < std::size(from.reserved); ++i)
        if (from.reserved[i] != 0)
            fail(DRI_ERR_ARG, "dimension {}: reserved[{}] is {}, but must be 0", dim, i, from.reserved[i]);
    model::check_rule(rule, dim);
    return rule;
}

model::CutRule rule_of(const DRI_Part_tuple &from, size_t dim) {
    model::CutRule rule;
    rule.kind = model::CutKind::exact;
    rule.lo = from.left_x;
    rule.hi = from.right_x;
    // check_rule() would name these fields as a rule names them: left and right.
    if (from.left_v < 0 || from.right_v < 0)
        fail(DRI_ERR_ARG, "dimension {}: left_v is {} and right_v is {}, but both must be at least 0", dim,
             from.left_v, from.right_v);
    rule.overlap.left = from.left_v;
    rule.overlap.right = from.right_v;
    model::check_rule(rule, dim);
    return rule;
}

namespace {

// The lists of a process along all dimensions, as the interface has them.
using OwnRuns = std::vector<std::vector<DRI_Run>>;

std::shared_ptr<const OwnRuns> own_runs(const model::Distribution &dist, int rank) {
    auto runs = std::make_shared<OwnRuns>(dist.ndims());
    const auto position = dist.group().position(rank);
    for (size_t d = 0; position && d < dist.ndims(); ++d)
        if (const model::IndexedParts *parts = dist.cut(d).indexed())
            for (const model::Runs &r :
                 parts->part(dist.coords_of_part(dist.part_of_position(*position))[d]).list())
                (*runs)[d].push_back({r.global, r.size, r.count, r.global_step});
    return runs;
}

DRI_Edge public_edge(model::Edge edge) {
    switch (edge) {
    case model::Edge::truncate: return DRI_TRUNCATE;
    case model::Edge::wrap: return DRI_WRAP;
    case model::Edge::pad_zero: return DRI_PAD_ZERO;
    case model::Edge::pad_replicate: break;
    }
    return DRI_PAD_REPLICATE;
}

DRI_Part_kind public_kind(model::CutKind kind) {
    switch (kind) {
    case model::CutKind::whole: return DRI_WHOLE;
    case model::CutKind::block: return DRI_BLOCK;
    case model::CutKind::block_cyclic: return DRI_BLOCK_CYCLIC;
    case model::CutKind::sizes: return DRI_SIZES;
    case model::CutKind::weights: return DRI_WEIGHTS;
    case model::CutKind::indices: return DRI_RUNS;
    case model::CutKind::exact: break;
    }
    return DRI_PIECES;
}

DRI_Remainder public_remainder(model::Remainder remainder) {
    switch (remainder) {
    case model::Remainder::balanced: return DRI_BALANCED;
    case model::Remainder::balanced_last: return DRI_BALANCED_LAST;
    case model::Remainder::ceil: return DRI_CEIL;
    case model::Remainder::proportional: break;
    }
    return DRI_PROPORTIONAL;
}

} // namespace

DRI_Part_dim public_rule(const model::Distribution &dist, size_t dim, int rank) {
    const model::CutRule &rule = dist.partition()[dim];
    DRI_Part_dim out{};
    out.kind = public_kind(rule.kind);
    out.nparts = static_cast<int>(rule.nparts);
    out.remainder = public_remainder(rule.remainder);
    out.block = rule.block;
    out.phase = rule.phase;
    out.sizes = rule.sizes.empty() ? nullptr : rule.sizes.data();
    out.weights = rule.weights.empty() ? nullptr : rule.weights.data();
    out.min = rule.min;
    out.max = rule.max;
    out.multiple = rule.multiple;
    out.left = rule.overlap.left;
    out.right = rule.overlap.right;
    out.left_edge = public_edge(rule.overlap.left_edge);
    out.right_edge = public_edge(rule.overlap.right_edge);
    if (rule.kind == model::CutKind::indices) {
        const auto &own = static_cast<const OwnRuns *>(dist.keep([&] { return own_runs(dist, rank); }))->at(dim);
        out.runs = own.empty() ? nullptr : own.data();
        out.nruns = std::ssize(own);
    }
    if (const auto position = dist.group().position(rank); position && !dist.is_grid()) {
        const model::Overlap overlap = dist.boxes().overlap(*position, dim);
        out.left = overlap.left;
        out.right = overlap.right;
    }
    return out;
}

} // namespace dri::api
