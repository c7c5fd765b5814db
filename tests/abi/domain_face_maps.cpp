// Maps and domains of the C++ interface, the user's own maps included.
#include "face.hpp"

#include <dri/cpp/domain.hpp>

#include <algorithm>
#include <ranges>
#include <set>
#include <sstream>

namespace {

using dri::Domain;
using dri::Index;
using dri::Map;
using dri::MapDim;
using dri::range;
using dri::Ranges;

// Even indices of the first dimension belong to position 0, odd ones to the last one.
struct EvenOdd {
    int last;
    int owner(const Index<2> &at) const { return at[0] % 2 == 0 ? 0 : last; }
    std::string describe() const { return "even and odd"; }
    std::vector<std::byte> pack() const { return {std::byte(last)}; }
    static EvenOdd unpack(std::span<const std::byte> bytes) { return {static_cast<int>(bytes[0])}; }
    static constexpr const char *name = "even_odd";
    bool operator==(const EvenOdd &) const = default;
};

// The same with a list of what each position has.
struct Listed : EvenOdd {
    std::vector<Ranges<2>> local(int position, const Ranges<2> &whole) const {
        std::vector<Ranges<2>> boxes;
        if (position == 0)
            boxes.emplace_back(common(whole[0], range(-100, 100, 2, 0)), whole[1]);
        if (position == last)
            boxes.emplace_back(common(whole[0], range(-100, 100, 2, 1)), whole[1]);
        return boxes;
    }
};

struct Throwing {
    int owner(Index<1> at) const {
        if (at[0] == 3)
            throw std::out_of_range("three");
        return 0;
    }
};

static_assert(dri::DomainMap<EvenOdd, 2> && !dri::DomainMap<EvenOdd, 1> && dri::detail::dims_of<Throwing> == 1);

// Whether each member is in one box, that of its owner.
template <std::size_t N> void expect_tiling(const Domain<N> &domain) {
    std::set<Index<N>> seen;
    for (const int rank : domain.map().group().ranks())
        for (const auto &box : domain.boxes(rank))
            for (const Index<N> &at : box.indices()) {
                EXPECT_TRUE(seen.insert(at).second);
                EXPECT_EQ(domain.owner(at), rank);
                EXPECT_EQ(domain.map().owner(at), rank);
                EXPECT_EQ(domain.global_index(rank, domain.local_index(rank, at)), at);
            }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), domain.size());
}

TEST(DomainFaceMaps, OwnIndices) {
    const Ranges box(range(0, 12), range(-3, 6, 2));
    for (const Map<2> &map :
         {dri::block_map(box), dri::cyclic_map({1, 0}), dri::block_cyclic_map({0, 1}, {2, 3}),
          Map<2>({MapDim::whole(), MapDim::cyclic(0)}), Map(EvenOdd{face::processes() - 1}, dri::world()),
          Map(Listed{{face::processes() - 1}}, dri::world())}) {
        const Domain domain(map, box);
        expect_tiling(domain);
        EXPECT_NO_THROW(domain.check());
        EXPECT_EQ(domain.map(), map);
        EXPECT_EQ(map.clone(), map);
        EXPECT_EQ(map.group().ranks(), dri::world().ranks());
        EXPECT_NE(map.describe(), "");
    }
    EXPECT_EQ(dri::block_map(box).grid()[0] * dri::block_map(box).grid()[1], face::processes());
    EXPECT_EQ(dri::cyclic_map({1, 0}).owner({1, 0}), 0);
    const Domain rim(dri::stencil_map(box, {1, 2}), box);
    EXPECT_GE(rim.held(), rim.owned());
    const Map<1> wide({MapDim::block(range(0, 40)).overlap(2, 1).edges(dri::Edge::wrap, dri::Edge::wrap)});
    EXPECT_EQ(Domain(wide, Ranges(range(0, 40))).held(), Domain(wide, Ranges(range(0, 40))).owned() + 3);
}

TEST(DomainFaceMaps, AreMadeOfDistributions) {
    const dri::Gdo<int, 2> array(8, 5);
    const dri::Dist dist(array, dri::cut_dim<2>(0));
    const Domain domain(dri::dist_map(dist), Ranges(range(0, 8), range(0, 5)));
    expect_tiling(domain);
    EXPECT_EQ(domain.dist<int>().owned(), dist.owned());
}

TEST(DomainFaceMaps, TravelAsBytes) {
    const auto map = dri::block_cyclic_map({0, 1}, {2, 3});
    EXPECT_EQ(Map<2>::unpack(map.pack()), map);
    EXPECT_EQ(face::code_of([&] { static_cast<void>(Map<1>::unpack(map.pack())); }), DRI_ERR_ARG);
    const Map own(EvenOdd{face::processes() - 1}, dri::world());
    EXPECT_EQ(Map<2>::unpack<EvenOdd>(own.pack()), own);
    EXPECT_NE(own.describe().find("even and odd"), std::string::npos) << own.describe();
    const Domain domain(own, Ranges(range(0, 6), range(0, 2)));
    EXPECT_EQ(Domain<2>::unpack<EvenOdd>(domain.pack()), domain);
    const Domain blocks(dri::block_map(domain.ranges()), domain.ranges());
    EXPECT_EQ(Domain<2>::unpack(blocks.pack()), blocks);
    EXPECT_FALSE(blocks == domain);
}

TEST(DomainFaceMaps, ThrowWhatTheUsersMapThrows) {
    const Map map(Throwing{}, dri::world());
    EXPECT_EQ(map.owner({2}), 0);
    EXPECT_THROW(static_cast<void>(map.owner({3})), std::out_of_range);
    EXPECT_EQ(face::code_of([&] { static_cast<void>(Domain(map, Ranges(range(0, 2))).owner({7})); }), DRI_ERR_ARG);
    EXPECT_THROW(static_cast<void>(Domain(map, Ranges(range(0, 9))).boxes(0)), std::out_of_range);
}

TEST(DomainFaceDomains, AnswerAboutTheirIndices) {
    const Ranges all(range(1, 3), range(1, 10, 2));
    const Domain domain(dri::block_map(all), all);
    EXPECT_EQ(domain.text(), "{1..2, 1..9 by 2}");
    EXPECT_NE(domain.describe().find(domain.text()), std::string::npos) << domain.describe();
    EXPECT_EQ(domain.size(), 10);
    EXPECT_EQ(domain.order({2, 3}), 6);
    EXPECT_EQ(domain.index(6), (Index<2>{2, 3}));
    EXPECT_EQ(domain.order({2, 2}), -1);
    EXPECT_TRUE(domain.contains({1, 9}) && !domain.contains({1, 10}));
    EXPECT_EQ(domain.clone(), domain);
    EXPECT_EQ(Domain<2>::adopt(domain.clone().handle()).ranges(), all);
    face::expect_failure(DRI_ERR_ARG, "adopt(): the domain has 2 dimensions, not 3",
                         [&] { static_cast<void>(Domain<3>::adopt(domain.handle())); });
    face::expect_failure(DRI_ERR_ARG, "adopt(): the map has 2 dimensions, not 1",
                         [&] { static_cast<void>(Map<1>::adopt(domain.map().handle())); });
    EXPECT_EQ(domain[Ranges(range(2, 3), range(1, 10, -4))].ranges()[1], dri::Range(9, -4, 3));
    EXPECT_EQ(domain[all.expand(1)], domain) << "common members";
    EXPECT_EQ(domain[all.expand(1)].ranges(), all);
}

TEST(DomainFaceDomains, AreFollowedByAnyChunk) {
    const Ranges all(range(0, 7), range(0, 5)), other(range(0, 14, -2), range(3, 8));
    const Domain leader(dri::block_map(all), all), follower(dri::cyclic_map({0, 0}), other);
    std::set<Index<2>> seen;
    for (const int rank : dri::world().ranks())
        for (const auto &chunk : leader.chunks(2, rank)) {
            EXPECT_TRUE(chunk.task == 0 || chunk.task == 1);
            const auto here = leader.follow(chunk), there = follower.follow(chunk);
            ASSERT_EQ(here.size(), there.size());
            for (std::int64_t i = 0; i < here.size(); ++i) {
                EXPECT_EQ(leader.owner(here[i]), rank);
                EXPECT_EQ(leader.order(here[i]), follower.order(there[i]));
                EXPECT_TRUE(seen.insert(here[i]).second);
            }
        }
    EXPECT_EQ(seen.size(), 35U);
    EXPECT_EQ(leader.chunks(), leader.own_chunks());
    const auto listed = follower.follow(std::array<std::vector<std::int64_t>, 2>{{{6, 0}, {1, 4}}});
    EXPECT_EQ(std::vector<Index<2>>(listed.begin(), listed.end()),
              (std::vector<Index<2>>{{1, 4}, {1, 7}, {13, 4}, {13, 7}}));
}

TEST(DomainFaceDomains, AreMadeOfRanges) {
    const Ranges ranges(range(0, 12), range(3, 11));
    const Domain all(ranges);
    EXPECT_EQ(all, Domain(dri::block_map(ranges), ranges));
    EXPECT_EQ(all.dim(1), range(3, 11));
    EXPECT_EQ(all.dims(), 2u);
    const Domain down(all.map(), Ranges(range(0, 12, -5), range(3, 11, 3)));
    EXPECT_EQ(down.low(), (Index<2>{1, 3}));
    EXPECT_EQ(down.high(), (Index<2>{11, 9}));
    EXPECT_EQ(down.stride(), (Index<2>{-5, 3}));
    EXPECT_EQ(Domain(all.map(), Ranges(range(0, 12), range(3, 3))).low(), std::nullopt);
    std::ostringstream text;
    text << all;
    EXPECT_EQ(text.str(), "{0..11, 3..10}");
}

// Members of both, in the direction of the ranges that are given.
TEST(DomainFaceDomains, HaveMembersInCommonWithRanges) {
    const Domain all(dri::cyclic_map({0}), Ranges(range(0, 20, 2)));
    EXPECT_EQ(all[Ranges(range(3, 12, 3))].ranges(), Ranges(range(6, 7)));
    EXPECT_EQ(all[Ranges(range(-5, 9, -1))].ranges(), Ranges(range(0, 9, -2, 0)));
    EXPECT_EQ(all[Ranges(range(30, 40))].size(), 0);
}

// Every index, by nested loops over the sequences.
template <std::size_t N> std::vector<Index<N>> walk(const Ranges<N> &ranges) {
    std::vector<Index<N>> all{Index<N>{}};
    for (std::size_t d = 0; d < N; ++d) {
        std::vector<Index<N>> longer;
        for (const Index<N> &head : all)
            for (std::int64_t k = 0; k < ranges[d].size; ++k) {
                longer.push_back(head);
                longer.back()[d] = ranges[d].first + k * ranges[d].stride;
            }
        all.swap(longer);
    }
    return all;
}

static_assert(std::ranges::random_access_range<Domain<2>> && std::ranges::sized_range<Domain<1>>);
static_assert(std::same_as<std::ranges::range_value_t<Domain<1>>, std::int64_t>);
static_assert(std::same_as<std::ranges::range_value_t<Domain<3>>, Index<3>>);

TEST(DomainFaceDomains, AreRangesOfTheirMembers) {
    const Ranges all(range(1, 4), range(9, 2, 1), range(7, -1, -3));
    const Ranges some(range(1, 4), range(0, 9, -4));
    for (const Ranges<2> &ranges :
         {some, Ranges(range(0, 0), range(0, 3)), Ranges(range(5, 6), range(-3, 4, 3))}) {
        const Domain domain(dri::block_map(Ranges(range(0, 9), range(-3, 9))), ranges);
        std::vector<Index<2>> seen;
        for (const auto &at : domain)
            seen.push_back(at);
        EXPECT_EQ(seen, walk(ranges));
        EXPECT_EQ(std::ranges::ssize(domain), domain.size());
        EXPECT_TRUE(std::ranges::all_of(domain, [&](const Index<2> &at) { return domain.contains(at); }));
    }
    const Ranges cube(range(0, 9), range(0, 9), range(0, 9));
    EXPECT_EQ(std::ranges::distance(Domain(dri::block_map(cube), all)), 0) << "one dimension is empty";
    std::vector<Index<3>> corners;
    for (const Index<3> &at : Domain(dri::block_map(cube), cube.by(8)))
        corners.push_back(at);
    EXPECT_EQ(corners, walk(cube.by(8)));
    const Domain odd(Ranges(range(1, 10, 2)));
    std::vector<std::int64_t> numbers;
    for (const std::int64_t i : odd)
        numbers.push_back(i);
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 3, 5, 7, 9}));
    EXPECT_EQ(*(odd.begin() + 3), 7);
    EXPECT_EQ(*std::ranges::lower_bound(odd, 4), 5);
    Domain changed = odd.clone();
    changed.set(Ranges(range(4, 1, 1)));
    EXPECT_TRUE(std::ranges::empty(changed));
    changed.set(Ranges(range(1, 4, -1)));
    EXPECT_TRUE(std::ranges::equal(changed, std::vector<std::int64_t>{3, 2, 1}));
}

// An index of one dimension is a number, as those that a loop goes through.
TEST(DomainFaceDomains, TakeNumbersAsIndices) {
    const Domain odd(dri::cyclic_map({0}), Ranges(range(1, 10, 2)));
    std::int64_t place = 0;
    for (const std::int64_t i : odd) {
        EXPECT_TRUE(odd.contains(i) && !odd.contains(i + 1));
        EXPECT_EQ(odd.order(i), place++);
        EXPECT_EQ(odd.owner(i), i % face::processes());
        EXPECT_EQ(odd.map().owner(i), odd.owner({i}));
    }
}

TEST(DomainFaceDomains, AreDensified) {
    const Ranges all(range(0, 20, 2), range(0, 10, -1));
    const Domain whole(dri::block_map(Ranges(range(0, 20), range(0, 10))), all);
    const Domain sub = whole[Ranges(range(4, 20, 4), range(2, 7))];
    EXPECT_EQ(densify(sub, whole), Ranges(range(2, 10, 2), range(3, 8, -1)));
    EXPECT_EQ(undensify(densify(sub, whole), whole), sub);
    face::expect_failure(DRI_ERR_ARG, "", [&] { static_cast<void>(densify(whole, sub)); });
}

// What a process owns is a domain over the same map.
TEST(DomainFaceDomains, HaveALocalPart) {
    const Ranges all(range(0, 12), range(0, 12, -2));
    const Domain blocks(dri::block_map(all), all), cyclic(dri::cyclic_map({0, 0}), all);
    for (const Domain<2> &domain : {blocks, cyclic}) {
        std::vector<Index<2>> seen;
        for (const int rank : dri::world().ranks()) {
            const Domain<2> part = domain.local(rank);
            EXPECT_EQ(part.map(), domain.map());
            EXPECT_EQ(part.size(), domain.owned(rank));
            for (const Index<2> &at : part) {
                EXPECT_EQ(domain.owner(at), rank);
                seen.push_back(at);
            }
        }
        EXPECT_EQ(static_cast<std::int64_t>(seen.size()), domain.size());
        EXPECT_EQ(domain.local(), domain.local(face::rank()));
        std::int64_t visited = 0;
        dri::forall(domain.local(), [&](auto) { ++visited; });
        EXPECT_EQ(visited, domain.owned());
    }
    const Domain pairs(dri::block_cyclic_map({0}, {2}), Ranges(range(0, 8 * face::processes())));
    if (face::processes() > 1)
        face::expect_failure(DRI_ERR_UNSUPPORTED, "local(): the process has 4 boxes of the domain: use boxes()",
                             [&] { static_cast<void>(pairs.local()); });
    const Domain few(dri::block_map(Ranges(range(0, 1)), dri::Group{0}), Ranges(range(0, 1)));
    EXPECT_EQ(few.local().size(), face::rank() == 0 ? 1 : 0);
    EXPECT_EQ(few.local(0).size(), 1);
}

} // namespace
