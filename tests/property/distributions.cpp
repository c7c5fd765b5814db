// Who holds what, by the library's queries and by an owner for each index.
#include "run_property.hpp"

#include "support/oracle.hpp"

namespace dri::test {

constexpr int distribution_cases = 1500;

namespace {

void judge(const TransferCase &c, const SideSpec &spec) {
    const Side side = make_side(c, spec);
    const Distribution &dist = *side.dist;
    const SideOracle oracle(c, spec, side);
    RC_ASSERT(dist.parts() == oracle.parts());
    RC_ASSERT(dist.parts() * dist.replicas() == static_cast<int64_t>(spec.ranks.size()));
    std::vector<std::vector<IndexSet>> sets;
    std::vector<Placement> placements;
    std::vector<int64_t> held(spec.ranks.size(), 0);
    for (int p = 0; p < oracle.positions(); ++p) {
        RC_ASSERT(dist.group().position(spec.ranks[static_cast<size_t>(p)]) == p);
        RC_ASSERT(dist.extents(p) == oracle.extents(p));
        sets.emplace_back();
        for (const PartAxis &axis : dist.axes(p))
            sets.back().push_back(axis.owned);
        placements.push_back(place(side.layout(p), dist.extents(p), c.type_of(spec)));
    }
    for_each_index(spec.sizes, [&](const Dims &index) {
        const int64_t part = dist.owner_part(std::span<const int64_t>(index.begin(), index.size()));
        RC_ASSERT(part == oracle.part_of(index));
        Dims in_root = index;
        for (size_t d = 0; d < index.size(); ++d)
            in_root[d] += spec.offset[d];
        const auto holders = oracle.holders(in_root);
        RC_ASSERT(static_cast<int64_t>(holders.size()) == dist.replicas());
        for (size_t k = 0; k < holders.size(); ++k) {
            const HeldElement &h = holders[k];
            RC_ASSERT(h.position == dist.position_of_part(part, static_cast<int64_t>(k)));
            RC_ASSERT(dist.part_of_position(h.position) == part);
            ++held[static_cast<size_t>(h.position)];
            int64_t at = 0;
            for (size_t d = 0; d < index.size(); ++d) {
                const IndexSet &set = sets[static_cast<size_t>(h.position)][d];
                RC_ASSERT(set.local_of(index[d]) == h.local[d]);
                RC_ASSERT(set.global_of(h.local[d]) == index[d]);
                at += h.local[d] * placements[static_cast<size_t>(h.position)].strides[d];
            }
            RC_ASSERT(at == h.place);
            RC_ASSERT(at < placements[static_cast<size_t>(h.position)].span);
        }
    });
    for (int p = 0; p < oracle.positions(); ++p) {
        int64_t owned = 1;
        for (const IndexSet &set : sets[static_cast<size_t>(p)])
            owned *= set.owned();
        RC_ASSERT(owned == held[static_cast<size_t>(p)]);
    }
}

} // namespace

TEST(RandomDistributions, queries_agree_with_an_owner_per_index) {
    run_property(distribution_cases, [] {
        const TransferCase c = *random_transfers();
        judge(c, c.source);
        judge(c, c.sink);
    });
}

} // namespace dri::test
