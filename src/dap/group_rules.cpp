// Compares the processes of an array along each dimension.
#include "dap/group_rules.hpp"

#include "base/checked.hpp"
#include "dap/faults.hpp"

#include <algorithm>
#include <utility>

namespace dri::dap {

namespace {

using GroupFound = std::optional<DRI_Dap_fault>;
using Members = std::vector<Member>;

GroupFound between(GroupFound fault, const Member &process, const Member *other = nullptr) {
    fault->process = process.name;
    fault->other = other ? other->name : -1;
    return fault;
}

// "b": its number counts for a missing dist_type, too.
std::string kind_of(const Dimension &d) { return std::string(1, static_cast<char>(d.type)); }

// The processes along one dimension, at coordinate 0 of all others. Those with another coordinate there are equal
// to them, by the rules before.
class Line {
public:
    Line(const Members &members, int dim) : members_(members), dim_(static_cast<size_t>(dim)) {
        for (size_t d = dim_ + 1; d < static_cast<size_t>(members[0].ndims); ++d)
            stride_ *= static_cast<size_t>(members[0].dims[d].grid);
    }
    size_t size() const { return static_cast<size_t>(members_[0].dims[dim_].grid); }
    const Member &member(size_t coordinate) const { return members_[coordinate * stride_]; }
    const Dimension &operator[](size_t coordinate) const { return member(coordinate).dims[dim_]; }

private:
    const Members &members_;
    size_t dim_, stride_ = 1;
};

GroupFound different_types(const Members &all, int d) {
    const auto at = static_cast<size_t>(d);
    for (const Member &m : all)
        if (m.dims[at].type != all[0].dims[at].type)
            return between(make_fault(DRI_DAP_RULE_DIST_TYPE_DISAGREES, d, "dist_type", m.dims[at].type,
                                      all[0].dims[at].type,
                                      "dist_type is '{}' on process {}, but '{}' on process {}",
                                      kind_of(m.dims[at]), m.name, kind_of(all[0].dims[at]), all[0].name),
                           m, &all[0]);
    return {};
}

// A number that all processes should have.
GroupFound different(const Members &all, int d, DRI_Dap_rule rule, const char *key, auto value) {
    const int64_t first = value(all[0].dims[static_cast<size_t>(d)]);
    for (const Member &m : all)
        if (const int64_t own = value(m.dims[static_cast<size_t>(d)]); own != first)
            return between(make_fault(rule, d, key, own, first, "{} is {} on process {}, but {} on process {}",
                                      key, own, m.name, first, all[0].name),
                           m, &all[0]);
    return {};
}

GroupFound different_sizes(const Members &all, int d) {
    return different(all, d, DRI_DAP_RULE_SIZE_DISAGREES, "size", [](const Dimension &x) { return x.size; });
}

GroupFound different_grids(const Members &all, int d) {
    return different(all, d, DRI_DAP_RULE_GRID_PRODUCT, "proc_grid_size",
                     [](const Dimension &x) { return int64_t{x.grid}; });
}

GroupFound grid_product(const Members &all) {
    const auto n = static_cast<int64_t>(all.size());
    int64_t places = 1;
    for (int32_t d = 0; d < all[0].ndims && places <= n; ++d)
        places *= all[0].dims[static_cast<size_t>(d)].grid;
    if (places == n)
        return {};
    return between(make_fault(DRI_DAP_RULE_GRID_PRODUCT, -1, "proc_grid_size", places, n,
                              "the product of all proc_grid_size is {}{}, but there are {} processes",
                              places > n ? "at least " : "", places, n),
                   all[0]);
}

GroupFound row_major(const Members &all, int d) {
    int64_t stride = 1;
    for (int32_t e = d + 1; e < all[0].ndims; ++e)
        stride *= all[0].dims[static_cast<size_t>(e)].grid;
    for (size_t q = 0; q < all.size(); ++q) {
        const Dimension &x = all[q].dims[static_cast<size_t>(d)];
        if (const int64_t place = static_cast<int64_t>(q) / stride % x.grid; x.rank != place)
            return between(make_fault(DRI_DAP_RULE_ROW_MAJOR, d, "proc_grid_rank", x.rank, place,
                                      "proc_grid_rank is {} on process {}, but its position in the grid is {}",
                                      x.rank, all[q].name, place),
                           all[q]);
    }
    return {};
}

// The first key in which two processes with one proc_grid_rank differ, with both values.
struct Difference {
    const char *key = nullptr;
    int64_t own = 0, other = 0;
};

Difference difference(const Member &a, const Member &b, size_t d) {
    const Dimension &x = a.dims[d], &y = b.dims[d];
    const Difference all[]{
        {"start", x.start, y.start},
        {"stop", x.stop, y.stop},
        {"padding", x.left(), y.left()},
        {"padding", x.right(), y.right()},
        {"periodic", x.periodic, y.periodic},
        {"block_size", x.block, y.block},
        {"one_to_one", x.one_to_one, y.one_to_one},
        {"indices", x.nindices, y.nindices},
    };
    for (const Difference &one : all)
        if (one.own != one.other)
            return one;
    return a.lists[d] == b.lists[d] ? Difference{} : Difference{"indices", 0, 0};
}

GroupFound not_identical(const Members &all, int d) {
    const Line line(all, d);
    for (const Member &m : all) {
        const auto at = static_cast<size_t>(d);
        const Member &first = line.member(static_cast<size_t>(m.dims[at].rank));
        const Difference found = difference(m, first, at);
        if (!found.key)
            continue;
        const std::string values =
            found.own != found.other
                ? fmt::format("{} is {} on process {}, but {} on process {}", found.key, found.own, m.name,
                              found.other, first.name)
                : fmt::format("{} on process {} differs from that on process {}", found.key, m.name, first.name);
        return between(make_fault(DRI_DAP_RULE_AXIS_IDENTICAL, d, found.key, found.own, found.other,
                                  "{}, and both have proc_grid_rank {}", values, m.dims[at].rank),
                       m, &first);
    }
    return {};
}

// Calls rule(left, right) for all pairs of neighbours, up to the first fault.
GroupFound neighbours(const Members &all, int d, auto rule) {
    const Line line(all, d);
    for (size_t i = 1; i < line.size() && line[0].type == 'b'; ++i)
        if (GroupFound found = rule(line.member(i - 1), line.member(i), line[i - 1], line[i]))
            return between(found, line.member(i - 1), &line.member(i));
    return {};
}

GroupFound padding_counterpart(const Members &all, int d) {
    return neighbours(
        all, d, [&](const Member &a, const Member &b, const Dimension &x, const Dimension &y) -> GroupFound {
            if (x.right() == y.left())
                return {};
            return make_fault(DRI_DAP_RULE_PADDING_COUNTERPART, d, "padding", x.right(), y.left(),
                              "padding is {} on process {} towards process {}, but {} on that side there",
                              x.right(), a.name, b.name, y.left());
        });
}

GroupFound padding_too_wide(const Members &all, int d) {
    return neighbours(
        all, d, [&](const Member &a, const Member &b, const Dimension &x, const Dimension &y) -> GroupFound {
            const auto wide = [&](const Member &p, int64_t width, const Member &neighbour, int64_t owned) {
                return make_fault(DRI_DAP_RULE_PADDING_TOO_WIDE, d, "padding", width, owned,
                                  "padding is {} on process {}, but its neighbour, process {}, owns {}", width,
                                  p.name, neighbour.name, owned);
            };
            if (x.right() > y.owned())
                return wide(a, x.right(), b, y.owned());
            if (y.left() > x.owned())
                return wide(b, y.left(), a, x.owned());
            return {};
        });
}

// rule: GAP or OVERLAP.
GroupFound border(const Members &all, int d, DRI_Dap_rule rule) {
    return neighbours(all, d,
                      [&](const Member &a, const Member &b, const Dimension &x, const Dimension &y) -> GroupFound {
                          const int64_t end = x.end_of_owned(), first = y.first_owned();
                          if (rule == DRI_DAP_RULE_GAP ? end >= first : end <= first)
                              return {};
                          return make_fault(rule, d, "stop", end, first,
                                            "process {} owns up to {}, but process {} owns from {} on", a.name,
                                            end, b.name, first);
                      });
}

GroupFound gap(const Members &all, int d) { return border(all, d, DRI_DAP_RULE_GAP); }
GroupFound overlap(const Members &all, int d) { return border(all, d, DRI_DAP_RULE_OVERLAP); }

GroupFound coverage(const Members &all, int d) {
    const Line line(all, d);
    const Dimension &last = line[line.size() - 1];
    if (last.type == 'b' && last.stop != last.size)
        return between(make_fault(DRI_DAP_RULE_COVERAGE, d, "stop", last.stop, last.size,
                                  "stop is {} on process {}, the last one, but size is {}", last.stop,
                                  line.member(line.size() - 1).name, last.size),
                       line.member(line.size() - 1));
    for (size_t i = 0; i < line.size() && last.type == 'c'; ++i) {
        const Dimension &x = line[i];
        const Member &m = line.member(i);
        if (x.block != line[0].block)
            return between(make_fault(DRI_DAP_RULE_COVERAGE, d, "block_size", x.block, line[0].block,
                                      "block_size is {} on process {}, but {} on process {}", x.block, m.name,
                                      line[0].block, line.member(0).name),
                           m, &line.member(0));
        if (Wide{x.block} * x.rank < x.size && x.start >= x.size)
            return between(make_fault(DRI_DAP_RULE_COVERAGE, d, "start", x.start, x.block * x.rank,
                                      "start is {} on process {}, but its first block is at {}", x.start, m.name,
                                      x.block * x.rank),
                           m);
    }
    return {};
}

GroupFound not_one_to_one(const Members &all, int d) {
    const Line line(all, d);
    std::vector<std::pair<int64_t, size_t>> owners;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i].one_to_one != line[0].one_to_one)
            return between(make_fault(DRI_DAP_RULE_GROUP_ONE_TO_ONE, d, "one_to_one", line[i].one_to_one,
                                      line[0].one_to_one, "one_to_one is {} on process {}, but {} on process {}",
                                      line[i].one_to_one, line.member(i).name, line[0].one_to_one,
                                      line.member(0).name),
                           line.member(i), &line.member(0));
        for (const int64_t index : line[0].one_to_one ? line[i].list() : std::span<const int64_t>{})
            owners.emplace_back(index, i);
    }
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end(),
                                          [](const auto &a, const auto &b) { return a.first == b.first; });
    if (twice == owners.end())
        return {};
    const Member &a = line.member(twice->second), &b = line.member((twice + 1)->second);
    return between(make_fault(DRI_DAP_RULE_GROUP_ONE_TO_ONE, d, "indices", twice->first, 0,
                              "one_to_one is true, but processes {} and {} both have index {}", a.name, b.name,
                              twice->first),
                   a, &b);
}

} // namespace

Member make_member(const DRI_Dap &dap, int name) {
    Member made;
    made.name = name;
    made.ndims = dap.ndims;
    made.itemsize = static_cast<int64_t>(dap.itemsize);
    for (size_t d = 0; d < static_cast<size_t>(dap.ndims); ++d) {
        made.dims[d] = make_dimension(dap.dim_data[d], dap.shape[d]);
        if (made.dims[d].type == 'u')
            made.lists[d] = digest(std::as_bytes(made.dims[d].list()));
    }
    return made;
}

GroupFound group_fault(const Members &members) {
    for (const Member &m : members)
        if (m.ndims != members[0].ndims)
            return between(make_fault(DRI_DAP_RULE_GROUP_NDIM, -1, "dim_data", m.ndims, members[0].ndims,
                                      "process {} has {} dimensions, but process {} has {}", m.name, m.ndims,
                                      members[0].name, members[0].ndims),
                           m, &members[0]);
    const auto search = [&](std::initializer_list<GroupFound (*)(const Members &, int)> rules) -> GroupFound {
        for (const auto rule : rules)
            for (int d = 0; d < members[0].ndims; ++d)
                if (GroupFound found = rule(members, d))
                    return found;
        return {};
    };
    if (GroupFound found = search({different_types, different_sizes, different_grids}))
        return found;
    if (GroupFound found = grid_product(members))
        return found;
    return search(
        {row_major, not_identical, padding_counterpart, padding_too_wide, gap, overlap, coverage, not_one_to_one});
}

} // namespace dri::dap
