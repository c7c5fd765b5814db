// Padding as the overlap of exact pieces. Boundary padding of a periodic dimension holds copies, so the array that
// is distributed leaves it out, and wraps around.
#include "dap/update.hpp"

namespace dri::dap {

namespace {

// What periodic dimensions need beyond the rules of the protocol. It is checked for all members, so all fail
// alike.
void require_like_periods(const std::vector<Member> &members, size_t d) {
    // The last member has the last place along every dimension.
    const Dimension &left = members.front().dims[d], &right = members.back().dims[d];
    for (const Member &m : members) {
        const Dimension &x = m.dims[d];
        if (x.periodic != left.periodic)
            fail(DRI_ERR_MISMATCH, "dimension {}: periodic is {} on process {}, but {} on process {}", d,
                 x.periodic, m.name, left.periodic, members.front().name);
        if (!x.periodic)
            continue;
        if ((x.is_first() && x.left_boundary() != left.left_boundary()) ||
            (x.is_last() && x.right_boundary() != right.right_boundary()))
            fail(DRI_ERR_MISMATCH,
                 "dimension {}: the boundary padding of process {} differs from that of others, but the dimension "
                 "is "
                 "periodic",
                 d, m.name);
        const int64_t padding = x.padding[0] + x.padding[1];
        if (padding > 0 && padding == x.held() && x.grid > 1)
            fail(DRI_ERR_UNSUPPORTED, "dimension {}: process {} has nothing between its padding of {} and {}", d,
                 m.name, x.padding[0], x.padding[1]);
    }
}

bool is_beside(const Member &own, const Member &other) {
    for (size_t d = 0; d < static_cast<size_t>(own.ndims); ++d)
        if (own.dims[d].type != 'b' && own.dims[d].rank != other.dims[d].rank)
            return false;
    return true;
}

DRI_Part_tuple tuple_of(const Dimension &x, int64_t shift) {
    if (x.type != 'b')
        return {0, 0, x.held(), 0};
    if (!x.periodic)
        return {x.left(), x.first_owned(), x.end_of_owned(), x.right()};
    return {x.padding[0], x.start + x.padding[0] - shift, x.stop - x.padding[1] - shift, x.padding[1]};
}

} // namespace

void make_update(const Processes &processes, const std::vector<Member> &members, DRI_Type type,
                 outer::OwnedDist &dist) {
    const Member &own = members[static_cast<size_t>(processes.position)];
    const auto ndims = static_cast<size_t>(own.ndims);
    std::vector<int> ranks;
    for (size_t q = 0; q < members.size(); ++q)
        if (is_beside(own, members[q]))
            ranks.push_back(processes.ranks[q]);
    std::vector<int64_t> sizes(ndims);
    std::vector<DRI_Part_tuple> tuples(ndims);
    std::vector<DRI_Edge> edges(ndims, DRI_TRUNCATE);
    for (size_t d = 0; d < ndims; ++d) {
        const Dimension &x = own.dims[d];
        sizes[d] = x.type == 'b' ? x.size : x.held();
        int64_t shift = 0;
        if (x.type == 'b') {
            require_like_periods(members, d);
            if (x.periodic) {
                shift = members.front().dims[d].left_boundary();
                sizes[d] -= shift + members.back().dims[d].right_boundary();
                edges[d] = DRI_WRAP;
            }
        }
        tuples[d] = tuple_of(x, shift);
    }
    outer::OwnedGdo gdo;
    outer::OwnedPart pieces, part;
    outer::OwnedGroup group;
    const bool is_apart = ranks.size() < members.size();
    const auto made = objection_of([&] {
        outer::require(DRI_gdo_create(own.ndims, type, sizes.data(), gdo.out()));
        outer::require(DRI_part_create(own.ndims, tuples.data(), pieces.out()));
        outer::require(DRI_part_with_edges(pieces.get(), edges.data(), edges.data(), part.out()));
        outer::require(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), group.out()));
        outer::require(DRI_dist_create(gdo.get(), part.get(), group.get(), dist.out()));
    });
    // Where there are several groups, one may fail while another one goes on.
    if (is_apart)
        exchange(processes, made, {}, 0);
    else if (made)
        fail(made->code, "{}", made->fault.message);
}

} // namespace dri::dap
