// Owners, boxes, places, chunks and dense distributions of random domains, compared with the owner of every index.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_domains.hpp"

#include <array>
#include <map>
#include <set>

namespace dri::test {
namespace {

int64_t volume(const Ranges &ranges) {
    int64_t n = 1;
    for (const DRI_Range &r : ranges)
        n *= r.size;
    return n;
}

// All members have one place each, and the places of a process are 0, 1, ....
void check_places(DRI_Domain domain, const RandomMap &made, const Ranges &ranges) {
    std::map<int, std::set<int64_t>> places;
    for (const Indices &index : tuples_of(ranges)) {
        int owner = -1;
        ASSERT_EQ(DRI_domain_owner(domain, index.data(), &owner), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(owner, made.ranks[static_cast<size_t>(made.position(index))]);
        int64_t place = -1;
        ASSERT_EQ(DRI_domain_local_index(domain, owner, index.data(), &place), DRI_SUCCESS) << DRI_error_message();
        ASSERT_TRUE(places[owner].insert(place).second) << "two at place " << place;
        Indices back(ranges.size());
        ASSERT_EQ(DRI_domain_global_index(domain, owner, place, back.data()), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(back, index);
    }
    for (const int rank : made.ranks) {
        int64_t owned = -1, held = -1;
        ASSERT_EQ(DRI_domain_get_count(domain, rank, &owned, &held), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(owned, static_cast<int64_t>(places[rank].size()));
        ASSERT_EQ(held, owned);
        if (!places[rank].empty()) {
            ASSERT_EQ(*places[rank].rbegin(), owned - 1);
        }
    }
}

void check_boxes(DRI_Domain domain, const RandomMap &made, const Ranges &ranges) {
    std::set<Indices> seen;
    for (size_t q = 0; q < made.ranks.size(); ++q)
        for (const Ranges &box : boxes_of(domain, made.ranks[q]))
            for (const Indices &index : tuples_of(box)) {
                ASSERT_EQ(made.position(index), static_cast<int>(q));
                ASSERT_TRUE(seen.insert(index).second);
            }
    ASSERT_EQ(static_cast<int64_t>(seen.size()), volume(ranges));
}

void check_chunks(DRI_Domain domain, const RandomMap &made, const Ranges &ranges, int tasks) {
    std::set<Indices> seen;
    for (const int rank : made.ranks) {
        int64_t n = -1;
        ASSERT_EQ(DRI_domain_num_chunks(domain, rank, tasks, &n), DRI_SUCCESS) << DRI_error_message();
        std::vector<int64_t> load(static_cast<size_t>(tasks));
        for (int64_t i = 0; i < n; ++i) {
            Ranges dense(ranges.size());
            int task = -1;
            ASSERT_EQ(DRI_domain_get_chunk(domain, rank, tasks, i, dense.data(), &task), DRI_SUCCESS)
                << DRI_error_message();
            ++load.at(static_cast<size_t>(task));
            for (const Indices &at : tuples_of(dense)) {
                Indices index;
                for (size_t d = 0; d < ranges.size(); ++d)
                    index.push_back(ranges[d].first + at[d] * ranges[d].stride);
                ASSERT_EQ(made.ranks[static_cast<size_t>(made.position(index))], rank);
                ASSERT_TRUE(seen.insert(at).second);
            }
        }
    }
    ASSERT_EQ(static_cast<int64_t>(seen.size()), volume(ranges));
}

// The dense distribution has each element where the domain has it.
void check_dist(DRI_Domain domain, const RandomMap &made, const Ranges &ranges) {
    if (std::find(made.ranks.begin(), made.ranks.end(), world().rank) == made.ranks.end())
        return;
    Dist dist;
    ASSERT_EQ(DRI_domain_get_dist(domain, DRI_FLOAT, dist.out()), DRI_SUCCESS) << DRI_error_message();
    Gdo gdo;
    int ndims = 0;
    std::array<int64_t, DRI_MAX_DIMS> sizes;
    expect_success(DRI_dist_get_gdo(dist, gdo.out()), "DRI_dist_get_gdo");
    expect_success(DRI_gdo_get_sizes(gdo, &ndims, sizes.data()), "DRI_gdo_get_sizes");
    const bool is_flat = static_cast<size_t>(ndims) != ranges.size() || (ndims == 1 && ranges.size() > 1);
    int64_t order = 0;
    std::map<int, int64_t> owned;
    for (const Indices &index : tuples_of(ranges)) {
        Indices dense{order};
        if (!is_flat) {
            dense.assign(ranges.size(), 0);
            int64_t rest = order;
            for (size_t d = ranges.size(); d-- > 0; rest /= ranges[d].size)
                dense[d] = rest % ranges[d].size;
        }
        int owner = -1;
        ASSERT_EQ(DRI_dist_owner(dist, dense.data(), &owner), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(owner, made.ranks[static_cast<size_t>(made.position(index))]) << order;
        // Local arrays have one order.
        std::array<int64_t, DRI_MAX_DIMS> local, extents;
        int64_t place = -1, in_dist = 0;
        expect_success(DRI_domain_local_index(domain, owner, index.data(), &place), "DRI_domain_local_index");
        expect_success(DRI_dist_local_index(dist, owner, dense.data(), local.data()), "DRI_dist_local_index");
        expect_success(DRI_dist_get_extents(dist, owner, extents.data()), "DRI_dist_get_extents");
        for (int d = 0; d < ndims; ++d)
            in_dist = in_dist * extents[static_cast<size_t>(d)] + local[static_cast<size_t>(d)];
        ASSERT_EQ(in_dist, place);
        ++order;
    }
}

void check_packed(DRI_Domain domain, const RandomMap &made, const Ranges &ranges) {
    if (made.rules.empty())
        return;
    size_t n = 0;
    ASSERT_EQ(DRI_domain_pack(domain, nullptr, 0, &n), DRI_SUCCESS) << DRI_error_message();
    std::vector<char> bytes(n);
    ASSERT_EQ(DRI_domain_pack(domain, bytes.data(), n, nullptr), DRI_SUCCESS) << DRI_error_message();
    Domain twin;
    ASSERT_EQ(DRI_domain_unpack(bytes.data(), n, nullptr, twin.out()), DRI_SUCCESS) << DRI_error_message();
    int flag = -1;
    expect_success(DRI_domain_equal(domain, twin, &flag), "DRI_domain_equal");
    ASSERT_EQ(flag, 1);
    check_boxes(twin, made, ranges);
    bytes[n / 2] = static_cast<char>(bytes[n / 2] + 1);
    Domain damaged;
    ASSERT_EQ(DRI_domain_unpack(bytes.data(), n, nullptr, damaged.out()), DRI_ERR_ARG);
}

TEST(DomainQueries, AgreeWithTheOwnerOfEveryIndex) {
    Dice dice(11);
    for (int round = 0; round < 250 && !HasFailure(); ++round) {
        const size_t ndims = static_cast<size_t>(dice.range(1, 3));
        const RandomMap made = make_random_map(dice, ndims, "any");
        const Ranges ranges = random_ranges(dice, ndims, ndims == 1 ? 60 : 12);
        const int tasks = static_cast<int>(dice.range(1, 5));
        SCOPED_TRACE("round " + std::to_string(round) + ": " + made.text + " over " + text_of(ranges));
        const Domain domain = make_domain(made.map, ranges);
        check_boxes(domain, made, ranges);
        check_places(domain, made, ranges);
        check_chunks(domain, made, ranges, tasks);
        check_packed(domain, made, ranges);
        ASSERT_EQ(DRI_domain_check(domain), DRI_SUCCESS) << DRI_error_message();
        check_dist(domain, made, ranges);
    }
}

TEST(DomainQueries, CountOverlapInPlaces) {
    const Group group = make_world();
    const int p = world().size;
    const MapDim rule{.kind = DRI_BLOCK, .lo = 0, .hi = 4 * p, .left = 2, .right = 1};
    const Domain domain = make_domain(make_map({rule}, group), {{0, 1, 4 * p}});
    for (int rank = 0; rank < p; ++rank) {
        int64_t owned = 0, held = 0;
        expect_success(DRI_domain_get_count(domain, rank, &owned, &held), "DRI_domain_get_count");
        EXPECT_EQ(owned, 4);
        EXPECT_EQ(held, 7); // also where there is nobody
        for (int64_t place = 0; place < held; ++place) {
            const int64_t wanted = 4 * rank - 2 + place;
            int64_t index = -1, back = -1;
            const int code = DRI_domain_global_index(domain, rank, place, &index);
            if (wanted < 0 || wanted >= 4 * p) {
                EXPECT_EQ(code, DRI_ERR_ARG);
                continue;
            }
            EXPECT_EQ(index, wanted);
            expect_success(DRI_domain_local_index(domain, rank, &wanted, &back), "DRI_domain_local_index");
            EXPECT_EQ(back, place);
        }
    }
    const MapDim ring{.kind = DRI_BLOCK,
                      .lo = 0,
                      .hi = 4 * p,
                      .left = 1,
                      .right = 1,
                      .left_edge = DRI_WRAP,
                      .right_edge = DRI_WRAP};
    const Domain around = make_domain(make_map({ring}, group), {{0, 1, 4 * p}});
    int64_t index = -1;
    expect_success(DRI_domain_global_index(around, 0, 0, &index), "DRI_domain_global_index");
    EXPECT_EQ(index, 4 * p - 1);
    expect_success(DRI_domain_global_index(around, p - 1, 5, &index), "DRI_domain_global_index");
    EXPECT_EQ(index, 0);
}

// A part of a distribution with overlap is a domain as any other, without overlap.
TEST(DomainQueries, PartsOfDistributionsHaveNoOverlap) {
    const int p = world().size;
    const Rule rule{.kind = DRI_BLOCK, .nparts = p, .left = 1, .right = 2};
    for (const bool pieces : {false, true}) {
        const int64_t n = 4 * p, first = 4 * world().rank;
        const Part part = pieces ? make_exact({{1, first, first + 4, 2}}) : make_part({rule});
        const Dist dist = make_dist(make_gdo({n}), part, make_world());
        Map map;
        expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
        const Domain whole = make_domain(map, {{0, 1, n}}), some = make_domain(map, {{1, 2, 2 * p - 1}});
        int64_t owned = -1, held = -1;
        expect_success(DRI_domain_get_count(some, world().rank, &owned, &held), "DRI_domain_get_count");
        EXPECT_EQ(owned, world().rank == p - 1 ? 1 : 2);
        EXPECT_EQ(held, owned);
        const Array array = make_array(some), all = make_array(whole);
        fill(all, whole, [](const Indices &i) { return static_cast<double>(i[0]); });
        const Ranges odd{{1, 2, 2 * p - 1}};
        ASSERT_EQ(DRI_assign(array, nullptr, all, odd.data(), nullptr), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(difference(array, some, [](const Indices &i) { return static_cast<double>(i[0]); }), "");
        EXPECT_EQ(DRI_array_update_overlap(array), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(DRI_array_update_overlap(all), DRI_SUCCESS) << DRI_error_message();
    }
}

// Of two copies of an element the neighbour's own one is nearer than the one that is wrapped round the domain.
TEST(DomainQueries, PreferTheNeighboursOwnElement) {
    MapDim rule{.kind = DRI_BLOCK, .nparts = 2, .lo = 0, .hi = 6, .left = 3, .right = 3};
    rule.left_edge = rule.right_edge = DRI_WRAP;
    if (world().size < 2)
        GTEST_SKIP() << "there is no neighbour";
    const Domain domain = make_domain(make_map({rule}, make_group({0, 1})), {{0, 1, 6}});
    for (const int64_t index : {0, 1, 2, 3, 4, 5}) {
        int64_t place = -1;
        expect_success(DRI_domain_local_index(domain, 0, &index, &place), "DRI_domain_local_index");
        EXPECT_EQ(place, 3 + index);
        expect_success(DRI_domain_local_index(domain, 1, &index, &place), "DRI_domain_local_index");
        EXPECT_EQ(place, index);
    }
}

// Dimensions beside an empty one may be as long as they like.
TEST(DomainQueries, OfNothingDoNotOverflow) {
    const int64_t huge = int64_t{1} << 40;
    const Domain domain =
        make_domain(make_map({{}, {}, block_dim(0, 8)}, make_world()), {{0, 1, huge}, {0, 1, huge}, {0, 1, 0}});
    int64_t owned = -1, held = -1, n = -1;
    EXPECT_EQ(DRI_domain_get_count(domain, 0, &owned, &held), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(owned, 0);
    EXPECT_EQ(held, 0);
    EXPECT_EQ(DRI_domain_num_boxes(domain, 0, &n), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(n, 0);
}

// Starts count modulo the cycle, bounding boxes as they are.
TEST(DomainQueries, EqualMapsHaveEqualOwnersAndBoxes) {
    const Group pair = make_group(world().size > 1 ? std::vector<int>{1, 0} : std::vector<int>{0});
    const int p = world().size > 1 ? 2 : 1;
    const auto equal = [&](const MapDim &a, const MapDim &b) {
        int flag = -1;
        expect_success(DRI_map_equal(make_map({a}, pair), make_map({b}, pair), &flag), "DRI_map_equal");
        return flag == 1;
    };
    EXPECT_FALSE(equal(block_dim(0, 4), block_dim(1, 3))) << "both are cut at 2, but the boxes differ";
    EXPECT_FALSE(equal(block_dim(0, 8), block_dim(0, 12)));
    EXPECT_TRUE(equal(cyclic_dim(1), cyclic_dim(1 + 6 * p)));
    EXPECT_EQ(equal(cyclic_dim(1), cyclic_dim(2)), p == 1);
    EXPECT_EQ(equal(cyclic_dim(0, 2), cyclic_dim(0, 3)), p == 1) << "one process has all indices";
    EXPECT_FALSE(equal(block_dim(0, 4), cyclic_dim(0))) << "another kind";
    MapDim rimmed = block_dim(0, 4), edged = block_dim(0, 4);
    rimmed.left = 1;
    edged.left_edge = DRI_WRAP;
    EXPECT_FALSE(equal(block_dim(0, 4), rimmed));
    EXPECT_TRUE(equal(block_dim(0, 4), edged)) << "without overlap an edge means nothing";
}

// The map of a distribution has what the distribution has.
TEST(DomainQueries, OfDistributionsSayWhatTheyHave) {
    const int p = world().size;
    for (const std::vector<Rule> &rules :
         std::vector<std::vector<Rule>>{{{.kind = DRI_BLOCK, .nparts = p, .left = 1, .right = 2}, {}},
                                        {{}, {.kind = DRI_BLOCK_CYCLIC, .nparts = p, .block = 2}}}) {
        const Dist dist = make_dist(make_gdo({3 * p + 1, 4 * p}), make_part(rules), make_world());
        Map map;
        expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
        const Domain domain = make_domain(map, {{0, 1, 3 * p + 1}, {0, 1, 4 * p}});
        for (int64_t i = 0; i < 3 * p + 1; ++i)
            for (int64_t j = 0; j < 4 * p; ++j) {
                const int64_t index[] = {i, j};
                int owner = -1, wanted = -1;
                int64_t place = -1, local[2], extents[2];
                expect_success(DRI_domain_owner(domain, index, &owner), "DRI_domain_owner");
                expect_success(DRI_dist_owner(dist, index, &wanted), "DRI_dist_owner");
                ASSERT_EQ(owner, wanted);
                expect_success(DRI_domain_local_index(domain, owner, index, &place), "DRI_domain_local_index");
                expect_success(DRI_dist_local_index(dist, owner, index, local), "DRI_dist_local_index");
                expect_success(DRI_dist_get_extents(dist, owner, extents), "DRI_dist_get_extents");
                ASSERT_EQ(place, local[0] * extents[1] + local[1]);
            }
        Dist dense;
        expect_success(DRI_domain_get_dist(domain, DRI_FLOAT, dense.out()), "DRI_domain_get_dist");
        int flag = -1;
        expect_success(DRI_dist_equal(dist, dense, &flag), "DRI_dist_equal");
        EXPECT_EQ(flag, 1);
    }
}

} // namespace
} // namespace dri::test
