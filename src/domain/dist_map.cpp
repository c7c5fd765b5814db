// Asks distributions what their processes own.
#include "domain/dist_map.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <array>

namespace dri::domain {

namespace {

using outer::require;

std::vector<std::byte> packed(DRI_Dist dist) {
    size_t n = 0;
    require(DRI_dist_pack(dist, nullptr, 0, &n));
    std::vector<std::byte> bytes(n);
    require(DRI_dist_pack(dist, bytes.data(), n, &n));
    return bytes;
}

// What a rank owns along a dimension, in the order of its local array.
AxisRuns blocks_of(const DistMap &map, int rank, size_t d) {
    const int dim = static_cast<int>(d);
    int64_t n = 0;
    require(DRI_dist_num_blocks(map.handle(), rank, dim, &n));
    std::vector<DRI_Run> runs;
    for (int64_t i = 0; i < n; ++i) {
        DRI_Block block;
        require(DRI_dist_get_block(map.handle(), rank, dim, i, &block));
        if (block.size > 0)
            append_stretch(runs, block.global, block.size);
    }
    return AxisRuns(std::move(runs));
}

// Whether every element has one owner: the numbers of elements add up along each dimension, or over all pieces.
void require_tiling(const DistMap &map, const std::vector<int> &grid) {
    int64_t owned = 0, all = 1;
    for (const int64_t size : map.sizes)
        all = checked_mul(all, size);
    for (const int rank : map.ranks) {
        int64_t own = 0;
        require(DRI_dist_get_count(map.handle(), rank, &own, nullptr));
        owned = checked_add(owned, own);
    }
    int64_t parts = 1;
    for (const int n : grid)
        parts *= n;
    if (map.is_grid && static_cast<size_t>(parts) != map.ranks.size())
        fail(DRI_ERR_UNSUPPORTED, "the group holds the data {} times, but a map gives each index one owner",
             map.ranks.size() / static_cast<size_t>(parts));
    if (owned != all)
        fail(owned < all ? DRI_ERR_GAP : DRI_ERR_OVERLAP, "the parts own {} elements, but the array has {}", owned,
             all);
}

// A source's pieces and lists are checked when its endpoint is declared. That needs a member of the group, so the
// pieces are checked here: numbers of elements add up, so that two that share one leave another one out.
void require_disjoint(const DistMap &map) {
    std::vector<std::array<DRI_Part_tuple, max_dims>> pieces(map.ranks.size());
    for (size_t q = 0; q < pieces.size(); ++q)
        require(DRI_dist_get_part(map.handle(), map.ranks[q], pieces[q].data()));
    std::vector<size_t> order(pieces.size());
    for (size_t q = 0; q < order.size(); ++q)
        order[q] = q;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return pieces[a][0].left_x < pieces[b][0].left_x; });
    const size_t n = map.sizes.size();
    const auto is_empty = [&](size_t q) {
        return std::any_of(pieces[q].begin(), pieces[q].begin() + static_cast<std::ptrdiff_t>(n),
                           [](const DRI_Part_tuple &t) { return t.left_x == t.right_x; });
    };
    for (size_t i = 0; i < order.size(); ++i)
        for (size_t j = i + 1; j < order.size(); ++j) {
            const auto &a = pieces[order[i]], &b = pieces[order[j]];
            if (b[0].left_x >= a[0].right_x)
                break;
            Dims index;
            for (size_t d = 0; d < n; ++d)
                if (std::max(a[d].left_x, b[d].left_x) < std::min(a[d].right_x, b[d].right_x))
                    index.push_back(std::max(a[d].left_x, b[d].left_x));
            if (index.size() == n && !is_empty(order[i]) && !is_empty(order[j]))
                fail(DRI_ERR_OVERLAP, "positions {} and {} both own {}", order[i], order[j],
                     text_of_index({index.data(), n}));
        }
}

void require_distinct(const DistMap &map, const std::vector<int> &grid) {
    // Along a dimension the parts own all indices once if each index has exactly one owner.
    int stride = static_cast<int>(map.ranks.size());
    for (size_t d = 0; d < map.sizes.size(); ++d) {
        stride /= grid[d];
        const DRI_Part_kind kind = rule_of(map, d).kind;
        if (kind != DRI_INDICES && kind != DRI_RUNS)
            continue;
        std::vector<bool> seen(static_cast<size_t>(map.sizes[d]));
        for (int c = 0; c < grid[d]; ++c) {
            const AxisRuns own = blocks_of(map, map.ranks[static_cast<size_t>(c * stride)], d);
            for (int64_t k = 0; k < own.size(); ++k) {
                const int64_t index = own.at(k);
                if (seen[static_cast<size_t>(index)])
                    fail(DRI_ERR_OVERLAP, "dimension {}: index {} is in two lists", d, index);
                seen[static_cast<size_t>(index)] = true;
            }
        }
        const auto gap = std::find(seen.begin(), seen.end(), false);
        if (gap != seen.end())
            fail(DRI_ERR_GAP, "dimension {}: index {} is in no list", d, gap - seen.begin());
    }
}

DistMap describe(std::shared_ptr<outer::OwnedDist> dist) {
    DistMap map;
    map.dist = std::move(dist);
    outer::OwnedGdo gdo;
    outer::OwnedGroup group;
    int ndims = 0, processes = 0;
    require(DRI_dist_get_gdo(map.handle(), gdo.out()));
    require(DRI_gdo_get_sizes(gdo.get(), &ndims, nullptr));
    map.sizes = Dims(static_cast<size_t>(ndims));
    require(DRI_gdo_get_sizes(gdo.get(), nullptr, map.sizes.begin()));
    require(DRI_dist_get_group(map.handle(), group.out()));
    require(DRI_group_get_size(group.get(), &processes, nullptr));
    map.ranks.resize(static_cast<size_t>(processes));
    require(DRI_group_get_ranks(group.get(), map.ranks.data()));
    if (ndims == 0)
        fail(DRI_ERR_ARG, "the distribution has no dimensions");
    map.is_grid = rule_of(map, 0).kind != DRI_PIECES;
    return map;
}

// Overlap of parts with several blocks has elements of the domain between owned ones.
void note_overlap(DistMap &map) {
    for (size_t d = 0; d < map.sizes.size(); ++d) {
        const DRI_Part_dim rule = rule_of(map, d);
        const bool is_one_block =
            rule.kind != DRI_BLOCK_CYCLIC && rule.kind != DRI_INDICES && rule.kind != DRI_RUNS;
        if ((rule.left > 0 || rule.right > 0) && !is_one_block)
            fail(DRI_ERR_UNSUPPORTED, "dimension {}: overlap of parts with several blocks", d);
    }
    for (const int rank : map.ranks) {
        int64_t owned = 0, held = 0;
        require(DRI_dist_get_count(map.handle(), rank, &owned, &held));
        map.overlaps = map.overlaps || held > owned;
    }
}

} // namespace

DRI_Part_dim rule_of(const DistMap &map, size_t d) {
    DRI_Part_dim rule;
    require(DRI_dist_get_rule(map.handle(), static_cast<int>(d), &rule));
    return rule;
}

DistMap make_dist_map(const std::vector<std::byte> &bytes) {
    const auto own = std::make_shared<outer::OwnedDist>();
    require(DRI_dist_unpack(bytes.data(), bytes.size(), own->out()));
    DistMap map = describe(own);
    std::vector<int> grid(map.sizes.size());
    if (map.is_grid) {
        require(DRI_dist_get_grid(map.handle(), grid.data()));
        require_distinct(map, grid);
    } else {
        require_disjoint(map);
    }
    require_tiling(map, grid);
    note_overlap(map);
    return map;
}

DistMap make_dist_map(DRI_Dist dist) { return make_dist_map(packed(dist)); }

std::vector<std::byte> packed_dist(const DistMap &map) { return packed(map.handle()); }

int owner_rank_of(const DistMap &map, const int64_t index[]) {
    for (size_t d = 0; d < map.sizes.size(); ++d)
        if (index[d] < 0 || index[d] >= map.sizes[d])
            fail(DRI_ERR_ARG, "the index {} is outside the distribution",
                 text_of_index({index, map.sizes.size()}));
    int rank = 0;
    require(DRI_dist_owner(map.handle(), index, &rank));
    return rank;
}

bool is_whole(const DistMap &map, const Ranges &ranges) {
    for (size_t d = 0; d < ranges.size(); ++d)
        if (!math::is_same_range(ranges[d], {0, 1, map.sizes[d]}))
            return false;
    return true;
}

void require_inside(const DistMap &map, const Ranges &ranges) {
    for (size_t d = 0; d < ranges.size(); ++d)
        if (ranges[d].size > 0 && (math::low_of(ranges[d]) < 0 || math::high_of(ranges[d]) >= map.sizes[d]))
            fail(DRI_ERR_ARG, "dimension {}: the range {} is outside [0, {})", d, text_of(ranges[d]),
                 map.sizes[d]);
}

Holding holding_of(const DistMap &map, const Ranges &ranges, const Dims &sizes, int position, bool with_rims) {
    const int rank = map.ranks[static_cast<size_t>(position)];
    std::array<DRI_Part_tuple, max_dims> tuples;
    require(DRI_dist_get_part(map.handle(), rank, tuples.data()));
    const bool whole = is_whole(map, ranges);
    std::vector<AxisRuns> axes;
    std::vector<Rim> rims;
    for (size_t d = 0; d < ranges.size(); ++d) {
        const AxisRuns own = blocks_of(map, rank, d);
        Rim rim;
        if (whole && map.overlaps && with_rims) {
            const DRI_Part_dim rule = rule_of(map, d);
            rim = {tuples[d].left_v, tuples[d].right_v, rule.left_edge, rule.right_edge};
        }
        rims.push_back(rim);
        if (whole) {
            axes.push_back(own);
            continue;
        }
        std::vector<std::pair<int64_t, DRI_Range>> members;
        for (int64_t i = 0; i < own.num_boxes(); ++i) {
            const DRI_Range dense = math::densified(math::common_of(ranges[d], own.box(i)), ranges[d]).value();
            if (dense.size > 0)
                members.emplace_back(dense.first, dense);
        }
        std::sort(members.begin(), members.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<DRI_Run> runs;
        for (const auto &[first, dense] : members) {
            if (const DRI_Run run = run_of(dense); run.count == 1)
                append_stretch(runs, run.first, run.size);
            else
                runs.push_back(run);
        }
        axes.emplace_back(std::move(runs));
    }
    return Holding::product(std::move(axes), std::move(rims), sizes);
}

bool are_equal(const DistMap &a, const DistMap &b) {
    int flag = 0;
    require(DRI_dist_equal(a.handle(), b.handle(), &flag));
    return flag != 0;
}

std::string rule_text(const DistMap &map) {
    std::array<char, 512> text;
    require(DRI_dist_describe(map.handle(), text.data(), text.size()));
    return text.data();
}

std::string part_text(const DistMap &map, int position) {
    Ranges whole;
    for (const int64_t size : map.sizes)
        whole.push_back({0, 1, size});
    const Holding holding = holding_of(map, whole, map.sizes, position, false);
    std::string text;
    for (int64_t i = 0; i < holding.num_boxes(); ++i)
        text += fmt::format("{}{}", i ? ", " : "", text_of(holding.box(i)));
    return text.empty() ? "nothing" : text;
}

} // namespace dri::domain
