// What each process holds: the library's queries against an owner computed for each index.
#include "run_property.hpp"

#include "model/tiling.hpp"
#include "support/oracle.hpp"

#include <algorithm>
#include <set>

namespace dri::test {

constexpr int distribution_cases = 3000; // each case has two distributions

namespace {

// Checks what every local offset shows.
void judge_view(const model::AxisView &view, const ShownRow &row) {
    const auto n = std::ssize(row.index);
    RC_ASSERT(view.extent() == n);
    RC_ASSERT(view.owned() == std::count(row.owned.begin(), row.owned.end(), true));
    for (int64_t i = 0; i < n; ++i) {
        const int64_t index = row.index[static_cast<size_t>(i)];
        RC_ASSERT(view.index_at(i) == (index == ShownRow::zeros ? std::nullopt : std::optional(index)));
    }
}

// Checks the other single queries about an axis of `size` indices, and its closed form, against the row.
void judge_axis(const model::AxisView &view, const model::PartAxis &axis, const ShownRow &row, int64_t size) {
    const auto n = std::ssize(row.index);
    // Pads that repeat an element are not that element's own offset.
    std::vector<int64_t> shows(row.index.size(), -2);
    std::vector<bool> copies(row.index.size(), false);
    const auto show = [&](int64_t offset, int64_t index) {
        RC_ASSERT((offset >= 0 && offset < n && shows[static_cast<size_t>(offset)] == -2));
        shows[static_cast<size_t>(offset)] = index;
    };
    std::vector<model::Runs> lists = axis.owned.lists();
    lists.insert(lists.end(), axis.overlap.begin(), axis.overlap.end());
    for (const model::Runs &r : lists)
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                show(r.local + k * r.local_step + i, r.global + k * r.global_step + i);
    for (const model::Pad &pad : axis.pads)
        for (int64_t i = 0; i < pad.size; ++i) {
            show(pad.local + i, pad.copy_of.value_or(ShownRow::zeros));
            copies[static_cast<size_t>(pad.local + i)] = true;
        }
    RC_ASSERT(axis.extent == n);
    RC_ASSERT(shows == row.index);
    // The first offset of each index; an owned one if there is one.
    std::vector<std::optional<int64_t>> where(static_cast<size_t>(size));
    for (const bool owned : {true, false})
        for (int64_t i = 0; i < n; ++i) {
            const auto p = static_cast<size_t>(i);
            if (row.owned[p] != owned || row.index[p] == ShownRow::zeros || copies[p])
                continue;
            if (auto &first = where[static_cast<size_t>(row.index[p])]; !first)
                first = i;
        }
    for (int64_t index = 0; index < size; ++index)
        RC_ASSERT(view.local_of(index) == where[static_cast<size_t>(index)]);
    for (int64_t i = 0; i < n; ++i) // an element that a pad repeats is held as well
        RC_ASSERT((row.index[static_cast<size_t>(i)] == ShownRow::zeros ||
                   where[static_cast<size_t>(row.index[static_cast<size_t>(i)])]));
    // Blocks cover the row in order, each with its overlap around it.
    int64_t at = 0;
    for (int64_t b = 0; b < view.num_blocks(); ++b) {
        const model::AxisBlock block = view.block(b);
        RC_ASSERT(block.local == at + block.left());
        for (int64_t i = 0; i < block.left() + block.size + block.right(); ++i, ++at) {
            const auto p = static_cast<size_t>(at);
            RC_ASSERT(at < n);
            const bool own = i >= block.left() && i < block.left() + block.size;
            RC_ASSERT(row.owned[p] == own);
            RC_ASSERT((!own || row.index[p] == block.global + i - block.left()));
            const bool pad = i < block.left_pad || i >= block.left() + block.size + block.right_real;
            RC_ASSERT(copies[p] == pad);
        }
    }
    RC_ASSERT(at == n);
    // The tuple that a query returns.
    const model::AxisBlock bounds = view.bounds();
    int64_t lo = -1, hi = -1;
    for (size_t i = 0; i < row.index.size(); ++i)
        if (row.owned[i]) {
            lo = lo < 0 ? row.index[i] : std::min(lo, row.index[i]);
            hi = std::max(hi, row.index[i] + 1);
        }
    RC_ASSERT((lo < 0 ? bounds.size == 0 : bounds.global == lo && bounds.size == hi - lo));
}

void judge_owners(const model::Distribution &dist, const SideSpec &spec, const SideOracle &oracle) {
    for_each_index(spec.sizes, [&](const Dims &index) {
        Dims in_root = index;
        for (size_t d = 0; d < index.size(); ++d)
            in_root[d] += spec.offset[d];
        std::vector<int> owners;
        for (const HeldElement &h : oracle.holders(in_root))
            owners.push_back(h.position);
        const std::span<const int64_t> element(index.begin(), index.size());
        RC_ASSERT(dist.owners(element) == owners);
        const auto part = dist.owner_part(element);
        RC_ASSERT(part.has_value() == !owners.empty());
        RC_ASSERT((!part || dist.position_of_part(*part, 0) == owners.front()));
    });
}

// For ranges of one dimension, or of boxes: exactly the parts that hold an element of the range are returned, and
// possibly empty parts.
void judge_holders(const model::Distribution &dist, const SideSpec &spec, const SideOracle &oracle, int64_t seed) {
    for (const int64_t n : spec.sizes)
        if (n == 0)
            return;
    const auto shows = [&](int p, size_t d, int64_t lo, int64_t hi) {
        const auto &row = oracle.row(p, d).index;
        return std::any_of(row.begin(), row.end(), [&](int64_t i) { return i >= lo && i < hi; });
    };
    Dims lo, hi;
    for (const int64_t n : spec.sizes) {
        lo.push_back(seed % n);
        hi.push_back(lo.back() + 1 + (seed / 7) % (n - lo.back()));
        seed = seed * 31 % 1000003;
    }
    std::vector<int> needed;
    for (int p = 0; p < oracle.positions(); ++p) {
        bool all = true;
        for (size_t d = 0; d < spec.sizes.size(); ++d)
            all = all && shows(p, d, lo[d], hi[d]);
        if (all)
            needed.push_back(p);
    }
    if (!dist.is_grid()) {
        RC_ASSERT(dist.boxes().holders({lo.begin(), lo.size()}, {hi.begin(), hi.size()}) == needed);
        return;
    }
    for (const int p : needed) {
        const Dims coords = dist.coords_of_part(dist.part_of_position(p));
        for (size_t d = 0; d < spec.sizes.size(); ++d) {
            const auto named = dist.cut(d).holders(lo[d], hi[d]);
            RC_ASSERT(std::binary_search(named.begin(), named.end(), coords[d]));
        }
    }
}

void judge(const TransferCase &c, const SideSpec &spec, bool is_source) {
    const planner::Side side = make_side(c, spec);
    const model::Distribution &dist = *side.dist;
    const SideOracle oracle(c, spec, side);
    RC_ASSERT(dist.parts() == oracle.parts());
    RC_ASSERT(dist.parts() * dist.replicas() == static_cast<int64_t>(spec.ranks.size()));
    std::set<const ShownRow *> judged; // parts with the same coordinate have the same row
    for (int p = 0; p < oracle.positions(); ++p) {
        RC_ASSERT(dist.group().position(spec.ranks[static_cast<size_t>(p)]) == p);
        RC_ASSERT(dist.extents(p) == oracle.extents(p));
        std::vector<model::PartAxis> axes;
        for (size_t d = 0; d < spec.sizes.size(); ++d) {
            const ShownRow &row = oracle.row(p, d);
            judge_view(dist.axis_view(p, d), row);
            if (!judged.insert(&row).second)
                continue;
            if (axes.empty())
                axes = dist.axes(p);
            judge_axis(dist.axis_view(p, d), axes[d], row, spec.sizes[d]);
        }
        const model::BufferShape shape = model::buffer_shape(side.layout(p), dist.extents(p), c.type_of(spec));
        for (const ShownElement &shown : oracle.shown(p)) {
            int64_t at = 0;
            for (size_t d = 0; d < spec.sizes.size(); ++d)
                at += shown.held.local[d] * shape.strides[d];
            RC_ASSERT(at == shown.held.offset);
            RC_ASSERT(at < shape.span);
        }
    }
    judge_owners(dist, spec, oracle);
    judge_holders(dist, spec, oracle, 12345 + model::count_elements(spec.sizes));
    bool tiles = true;
    try {
        model::check_source(dist);
    } catch (const Error &e) {
        RC_ASSERT(e.code() == DRI_ERR_GAP || e.code() == DRI_ERR_OVERLAP);
        tiles = false;
    }
    RC_ASSERT(tiles == tiles_plainly(oracle, spec));
    RC_ASSERT((tiles || !is_source));
}

} // namespace

TEST(RandomDistributions, queries_agree_with_an_owner_per_index) {
    run_property(distribution_cases, [] {
        const TransferCase c = *random_transfers();
        judge(c, c.source, true);
        judge(c, c.sink, false);
    });
}

} // namespace dri::test
