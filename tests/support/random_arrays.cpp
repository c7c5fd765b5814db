// Makes random arrays.
#include "support/random_arrays.hpp"

#include <algorithm>

namespace dri::test {

namespace {

Ranges random_domain(Dice &dice, const Indices &shape) {
    Ranges ranges;
    const bool plain = dice.chance(60);
    for (const int64_t size : shape)
        ranges.push_back(plain ? DRI_Range{0, 1, size} : DRI_Range{dice.range(-5, 5), dice.range(1, 3), size});
    return ranges;
}

// Rows of each process, of which some may have none.
std::vector<int64_t> random_rows(Dice &dice, int64_t rows, int processes) {
    std::vector<int64_t> sizes(static_cast<size_t>(processes));
    for (; rows > 0; --rows)
        ++sizes[static_cast<size_t>(dice.range(0, processes - 1))];
    return sizes;
}

Map blocks_map(Dice &dice, const Ranges &ranges, DRI_Group group, bool overlap, std::string &text) {
    std::vector<int> grid(ranges.size(), 1);
    int processes = world().size;
    for (int factor = 2; processes > 1; ++factor)
        for (; processes % factor == 0; processes /= factor)
            grid[static_cast<size_t>(dice.range(0, static_cast<int64_t>(ranges.size()) - 1))] *= factor;
    std::vector<MapDim> rules;
    for (size_t d = 0; d < ranges.size(); ++d) {
        const DRI_Range &r = ranges[d];
        const int64_t lo = r.first - dice.range(0, 2), end = r.first + r.size * r.stride + dice.range(0, 2);
        MapDim rule = block_dim(lo, std::max(end, lo + 1), grid[d]); // a bounding box is not empty
        if (overlap) {
            rule.left = dice.range(0, 2);
            rule.right = dice.range(0, 2);
        }
        text += " block " + std::to_string(grid[d]) + "<" + std::to_string(rule.left) + "," +
                std::to_string(rule.right) + ">";
        rules.push_back(rule);
    }
    return make_map(rules, group);
}

Map rows_map(Dice &dice, const Indices &shape, DRI_Group group, std::string &text) {
    DRI_Part_dim dims[DRI_MAX_DIMS]{};
    const auto sizes = random_rows(dice, shape[0], world().size);
    dims[0].kind = DRI_SIZES;
    dims[0].nparts = world().size;
    dims[0].sizes = sizes.data();
    text += " rows";
    for (const int64_t size : sizes)
        text += " " + std::to_string(size);
    const int ndims = static_cast<int>(shape.size());
    Gdo gdo;
    Part part;
    Dist dist;
    Map map;
    expect_success(DRI_gdo_create(ndims, DRI_DOUBLE, shape.data(), gdo.out()), "DRI_gdo_create");
    expect_success(DRI_part_create_rule(ndims, dims, part.out()), "DRI_part_create_rule");
    expect_success(DRI_dist_create(gdo, part, group, dist.out()), "DRI_dist_create");
    expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
    return map;
}

// Over memory of the caller, with halo rows that nobody fills.
void make_init(Dice &dice, Both &made, DRI_Group group) {
    const Indices &shape = made.whole.shape;
    const int ndims = static_cast<int>(shape.size());
    const auto sizes = random_rows(dice, shape[0], world().size);
    int64_t begin = 0;
    for (int q = 0; q < world().rank; ++q)
        begin += sizes[static_cast<size_t>(q)];
    const int64_t own = sizes[static_cast<size_t>(world().rank)], row = shape[0] ? total_of(shape) / shape[0] : 0;
    const int64_t left = own ? std::min<int64_t>(begin, 1) : 0;
    const int64_t right = own ? std::min<int64_t>(shape[0] - begin - own, 1) : 0;
    DRI_View parts[3]{};
    const int64_t rows[3]{left, own, right};
    for (int i = 0; i < 3; ++i) {
        made.memory.push_back(std::make_unique<std::vector<double>>(static_cast<size_t>(rows[i] * row) + 1));
        parts[i].data = made.memory.back()->data();
        parts[i].ndims = ndims;
        int64_t step = 1;
        for (int d = ndims; d-- > 0; step *= shape[static_cast<size_t>(d)]) {
            parts[i].range[d].size = d ? shape[static_cast<size_t>(d)] : rows[i];
            parts[i].step[d] = step;
        }
    }
    Gdo gdo;
    Indices loffs(shape.size());
    loffs[0] = begin - left;
    expect_success(DRI_gdo_create(ndims, DRI_DOUBLE, shape.data(), gdo.out()), "DRI_gdo_create");
    expect_success(DRI_array_init(gdo, group, loffs.data(), 3, parts, made.array.out()), "DRI_array_init");
    made.text += " init";
}

} // namespace

int64_t total_of(const Indices &shape) {
    int64_t n = 1;
    for (const int64_t size : shape)
        n *= size;
    return n;
}

std::string visit(Both &both, bool sets) {
    int nparts = 0;
    DRI_View parts[3];
    expect_success(DRI_array_get_parts(both.array, &nparts, parts), "DRI_array_get_parts");
    const DRI_View &own = parts[nparts == 3 ? 1 : 0];
    Ranges dense(own.range, own.range + own.ndims);
    for (const Indices &index : tuples_of(dense)) {
        int64_t at = 0;
        for (size_t d = 0; d < index.size(); ++d)
            at += (index[d] - dense[d].first) * own.step[d];
        double &element = static_cast<double *>(own.data)[at];
        if (sets)
            element = both.whole.at(index);
        else if (element != both.whole.at(index)) {
            std::string where;
            for (const int64_t i : index)
                where += std::to_string(i) + " ";
            return "at " + where + "is " + std::to_string(element) + " instead of " +
                   std::to_string(both.whole.at(index));
        }
    }
    return "";
}

Both random_array(Dice &dice, const Indices &shape, RandomCut cut) {
    Both made;
    made.whole.shape = shape;
    made.ranges.clear();
    const Group group = make_world();
    const int64_t kind = dice.range(0, cut == RandomCut::rows ? 2 : 4);
    if (kind == 0) {
        for (const int64_t size : shape)
            made.ranges.push_back({0, 1, size});
        expect_success(DRI_array_create_shape(static_cast<int>(shape.size()), shape.data(), DRI_DOUBLE, group,
                                              made.array.out()),
                       "DRI_array_create_shape");
        made.text = " default";
    } else if (kind == 1) {
        for (const int64_t size : shape)
            made.ranges.push_back({0, 1, size});
        make_init(dice, made, group);
    } else {
        made.ranges = kind == 2 ? Ranges() : random_domain(dice, shape);
        if (kind == 2)
            for (const int64_t size : shape)
                made.ranges.push_back({0, 1, size});
        const Map map = kind == 2 ? rows_map(dice, shape, group, made.text)
                                  : blocks_map(dice, made.ranges, group, kind == 4, made.text);
        made.array = make_array(make_domain(map, made.ranges));
    }
    for (int64_t i = total_of(shape); i > 0; --i)
        made.whole.values.push_back(static_cast<double>(dice.range(-9, 9)));
    visit(made, true);
    return made;
}

} // namespace dri::test
