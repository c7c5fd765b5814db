// Arrays over domains: access, views, slices, aliases, loops.
#include "face.hpp"

#include <numeric>
#include <sstream>

namespace {

using dri::Array;
using dri::Domain;
using dri::forall;
using dri::Index;
using dri::range;
using dri::Ranges;
using dri::zip;

const Ranges<2> plate(range(0, 13), range(-2, 9));

std::vector<Domain<2>> plate_domains(const Ranges<2> &ranges) {
    return {{dri::block_map(ranges), ranges},
            {dri::stencil_map(ranges, {2, 1}), ranges},
            {dri::cyclic_map({1, 0}), ranges},
            {dri::block_cyclic_map({0, 1}, {2, 3}), ranges}};
}

template <std::size_t N> void number(Array<int, N> &a) {
    forall(zip(a.domain(), a), [](auto at, int &x) { x = face::number<N>(at); });
}

TEST(DomainFaceArrays, HoldTheirOwnElements) {
    for (const Ranges<2> &ranges : {plate, Ranges(range(0, 20, -3), range(1, 9, 2))})
        for (const Domain<2> &domain : plate_domains(ranges)) {
            Array<int, 2> a(domain);
            number(a);
            const Array<int, 2> &read = a;
            EXPECT_EQ(a.domain(), domain);
            for (const Index<2> &at : ranges.indices()) {
                if (const int owner = domain.owner(at); owner == face::rank()) {
                    EXPECT_EQ(a(at[0], at[1]), face::number(at));
                    EXPECT_EQ(&read[at], &a[at]);
                } else {
                    face::expect_failure(DRI_ERR_ARG, "belongs to process " + std::to_string(owner),
                                         [&] { static_cast<void>(a[at]); });
                }
            }
            face::expect_failure(DRI_ERR_ARG, "is no member of", [&] { static_cast<void>(read(100, 100)); });
            int sum = 0, wanted = 0;
            forall(read, [&](const int &x) { sum += x; });
            for (const auto &box : domain.boxes())
                for (const Index<2> &at : box.indices())
                    wanted += face::number(at);
            EXPECT_EQ(sum, wanted);
        }
}

TEST(DomainFaceArrays, FindPlacesOfAnyIndex) {
    constexpr std::int64_t least = INT64_MIN, largest = INT64_MAX;
    for (const dri::Range &r : {range(3, 9), range(-7, 20, 4), range(-7, 20, -4), range(least, -5, 1L << 60),
                                range(1L << 62, largest, 1L << 61), range(1L << 62, largest, -(1L << 60)),
                                range(-5, (1L << 62) + 3), range(largest - 3, largest), dri::Range(5, 1, 0)})
        for (const std::int64_t base : {least, r.first, std::int64_t{0}, -(1L << 62), 1L << 62, largest})
            for (int k = -20; k <= 20; ++k) {
                const auto index =
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(k));
                const dri::detail::Int128 distance = dri::detail::Int128(index) - r.first;
                const bool is_member =
                    distance % r.stride == 0 && distance / r.stride >= 0 && distance / r.stride < r.size;
                EXPECT_EQ(r.order(index), is_member ? static_cast<std::int64_t>(distance / r.stride) : -1)
                    << r.first << ' ' << index;
                EXPECT_EQ(r.contains(index), is_member);
            }
}

TEST(DomainFaceArrays, LieInMemoryOfTheCaller) {
    const Domain domain(dri::cyclic_map({0}), Ranges(range(0, 10)));
    std::vector<int> memory(static_cast<std::size_t>(domain.held()), 5);
    Array<int, 1> a(domain, memory);
    int sum = 0;
    forall(a, [&](int x) { sum += x; });
    EXPECT_EQ(sum, 5 * domain.owned());
    a = 2;
    EXPECT_EQ(std::accumulate(memory.begin(), memory.end(), 0), 2 * domain.owned());
    face::expect_failure(DRI_ERR_STATE, "caller's memory", [&] {
        Domain changed(domain);
        changed.set(Ranges(range(0, 11)));
    });
    EXPECT_EQ(domain.ranges()[0].size, 10);
    const auto little = std::span(memory).first(face::rank() == 0 ? memory.size() - 1 : memory.size());
    face::expect_failure(DRI_ERR_ARG, " elements, but ", [&] { Array<int, 1> none(domain, little); });
}

TEST(DomainFaceArrays, AreSeenByTheirIndices) {
    const Ranges ranges(range(0, 12), range(-3, 9));
    const Domain domain(dri::stencil_map(ranges, {1, 2}), ranges);
    Array<int, 2> a(domain);
    number(a);
    a.update_overlap_start();
    a.update_overlap_wait();
    const auto x = std::as_const(a).local();
    static_assert(std::is_same_v<decltype(x(0, 0)), const int &>);
    std::int64_t seen = 0;
    for (const Index<2> &at : x.held().indices())
        if (ranges.contains(at)) {
            EXPECT_EQ(x(at[0], at[1]), face::number(at));
            seen += x.owned().contains(at);
        }
    EXPECT_EQ(seen, domain.owned());
    if (x.owned().size() > 0) {
        EXPECT_EQ(x.held(), x.owned().expand({1, 2}));
        a.local()[{x.held()[0].first, x.held()[1].first}] = 77; // space beyond a domain is the caller's
        a.update_overlap();
        if (!ranges.contains({x.held()[0].first, x.held()[1].first})) {
            EXPECT_EQ(x(x.held()[0].first, x.held()[1].first), 77);
        }
    }
    Array<int, 2> strided(Domain(dri::block_map(ranges), ranges.by(2)));
    if (strided.domain().owned() > 1) {
        face::expect_failure(DRI_ERR_UNSUPPORTED, " do not lie side by side: use forall() or follow()",
                             [&] { static_cast<void>(strided.local()); });
    }
    const Domain cut(dri::block_cyclic_map({0, 0}, {1, 2}), ranges);
    Array<int, 2> boxes(cut);
    if (cut.boxes().size() > 1)
        face::expect_failure(DRI_ERR_UNSUPPORTED,
                             "local(): the process has " + std::to_string(cut.boxes().size()) +
                                 " boxes: use forall() or follow()",
                             [&] { static_cast<void>(boxes.local()); });
}

TEST(DomainFaceArrays, AreFollowedByChunks) {
    for (const Domain<2> &domain : plate_domains(plate)) {
        Array<int, 2> a(domain);
        number(a);
        std::int64_t seen = 0;
        for (const auto &chunk : domain.chunks(2)) {
            const dri::View<int, 2> v = a.follow(chunk);
            const auto at = domain.follow(chunk);
            for (std::int64_t i = 0; i < at.size(); ++i, ++seen)
                EXPECT_EQ(v(i / v.extent(1), i % v.extent(1)), face::number(at[i]));
        }
        EXPECT_EQ(seen, domain.owned());
        const dri::Chunk<2> all{Ranges(range(0, 13), range(0, 11)), 0};
        if (face::processes() > 1)
            face::expect_failure(DRI_ERR_MISMATCH, "belongs to process",
                                 [&] { static_cast<void>(std::as_const(a).follow(all)); });
    }
}

TEST(DomainFaceArrays, AreLoopedOverWithSlices) {
    for (const Domain<2> &domain : plate_domains(plate)) {
        Array<int, 2> a(domain), b(domain);
        number(a);
        const Ranges<2> some(range(2, 11, 3), range(-1, 8, -2));
        const Domain<2> part = domain[some];
        std::int64_t calls = 0;
        forall(zip(part, std::as_const(a)[some], b[part]), [&](auto at, const int &x, int &y) {
            EXPECT_EQ(x, face::number<2>(at));
            ++calls;
            y = x;
        });
        EXPECT_EQ(calls, part.owned());
        b[some] = -1;
        int sum = 0;
        forall(b, [&](int x) { sum += x; });
        EXPECT_EQ(sum, -part.owned());
        const dri::Slice<int, 2> kept = b[some];
        EXPECT_EQ(kept.domain(), part);
        forall(b[some], [&](int &x) { EXPECT_EQ(x, -1); });
        face::expect_failure(DRI_ERR_ARG, "inside", [&] { a[plate.expand(1)] = 0; });
    }
    Array<int, 1> blocks(Domain(dri::block_map(Ranges(range(0, 40))), Ranges(range(0, 40))));
    Array<int, 1> cycles(Domain(dri::cyclic_map({0}), Ranges(range(0, 40))));
    if (face::processes() > 1)
        face::expect_failure(DRI_ERR_MISMATCH, ": assign it to an array over the leader's domain first",
                             [&] { forall(zip(blocks, cycles), [](int &, int &) {}); });
}

TEST(DomainFaceArrays, AllocateNothingInLoops) {
    const Domain domain(dri::block_map(plate), plate), inside = domain[plate.expand(-1)];
    Array<double, 2> a(domain), b(domain);
    const auto triad = [&] {
        forall(zip(inside, a[inside], b[inside]), [](auto at, double &x, double y) { x = y + double(at[0]); });
        const auto v = a.local();
        forall(zip(domain, b), [&](auto i, auto j, double &x) { x = v(i, j); });
    };
    triad();
    EXPECT_EQ(face::allocations_of(triad), 0);
}

TEST(DomainFaceArrays, HaveAliases) {
    for (Domain<2> domain : plate_domains(plate)) {
        Array<int, 2> a(domain);
        number(a);
        Array<int, 1> row = a.alias(Ranges(range(4, 5), range(-2, 9, -3)), dri::drop<0>);
        EXPECT_EQ(row.ranges()[0], dri::Range(8, -3, 4));
        for (const std::int64_t j : row.ranges()[0])
            if (row.domain().owner({j}) == face::rank()) {
                EXPECT_EQ(&row(j), &a(4, j));
                EXPECT_EQ(&row[j], &a(4, j));
            } else {
                EXPECT_EQ(face::code_of([&] { static_cast<void>(row(j)); }), DRI_ERR_ARG);
            }
        Array<int, 2> same = a.alias(plate);
        same = 3;
        forall(a, [](int x) { EXPECT_EQ(x, 3); });
        EXPECT_EQ(face::code_of([&] { same.update_overlap(); }), DRI_ERR_UNSUPPORTED);
        domain.set(plate.expand(1));
        for (const Index<2> &at : plate.indices())
            EXPECT_EQ(face::code_of([&] { static_cast<void>(same[at]); }), DRI_ERR_STATE);
        EXPECT_EQ(face::code_of([&] { forall(row, [](int &) {}); }),
                  row.domain().owned() > 0 ? DRI_ERR_STATE : DRI_SUCCESS);
    }
}

TEST(DomainFaceArrays, AreSwappedAndAdopted) {
    const Domain domain(dri::block_map(plate), plate);
    Array<int, 2> a(domain), b(domain);
    a = 1;
    b = 2;
    std::swap(a, b);
    forall(zip(a, b), [](int x, int y) { EXPECT_TRUE(x == 2 && y == 1); });
    DRI_Array raw;
    ASSERT_EQ(DRI_array_create(domain.handle(), DRI_INT32, nullptr, &raw), DRI_SUCCESS);
    EXPECT_EQ(face::code_of([&] { static_cast<void>(Array<int, 1>::adopt(raw)); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { static_cast<void>(Array<float, 2>::adopt(raw)); }), DRI_ERR_ARG);
    auto adopted = Array<int, 2>::adopt(raw);
    adopted = 7;
    EXPECT_NE(adopted.describe().find("4 bytes"), std::string::npos) << adopted.describe();
    Array<int, 2>::borrow(adopted.handle()) = 8;
    forall(adopted, [](int x) { EXPECT_EQ(x, 8); });
}

struct Pair {
    int first, second;
    friend std::ostream &operator<<(std::ostream &out, const Pair &p) { return out << p.first << '/' << p.second; }
};
struct Silent {
    int value;
};

TEST(DomainFaceArrays, WriteThemselvesAsText) {
    const auto text = [](const auto &item) {
        std::ostringstream out;
        item.write(out);
        return face::rank() == 0 ? out.str() : "-" + out.str();
    };
    const auto wanted = [](const std::string &all) { return face::rank() == 0 ? all : std::string("-"); };
    const Ranges ranges(range(0, 2), range(0, 3));
    const Domain domain(dri::cyclic_map({0, 0}), ranges);
    Array<int, 2> a(domain);
    forall(zip(domain, a), [](int i, int j, int &x) { x = 3 * i + j; });
    EXPECT_EQ(text(a), wanted("0 1 2\n3 4 5\n"));
    EXPECT_EQ(text(a[{range(0, 2, -1), range(0, 3, 2)}]), wanted("3 5\n0 2\n"));
    Array<Pair, 2> pairs(domain);
    forall(zip(domain, pairs), [](int i, int j, Pair &x) { x = {i, j}; });
    EXPECT_EQ(text(pairs), wanted("0/0 0/1 0/2\n1/0 1/1 1/2\n"));
    EXPECT_EQ(text(std::as_const(pairs)[{range(0, 1), range(0, 3, -1)}]), wanted("0/2 0/1 0/0\n"));
    EXPECT_EQ(text(pairs.alias({range(1, 2), range(0, 3)}, dri::drop<0>)), wanted("1/0 1/1 1/2"));
    const Ranges cube(range(0, 2), range(0, 1), range(0, 2));
    Array<Pair, 3> planes(Domain(dri::block_map(cube), cube));
    EXPECT_EQ(text(planes), wanted("0/0 0/0\n\n0/0 0/0\n"));
    Array<Silent, 2> silent(domain);
    EXPECT_EQ(face::code_of([&] { text(silent); }), DRI_ERR_UNSUPPORTED);
    std::ostringstream failed;
    failed.setstate(std::ios::badbit);
    face::expect_failure(DRI_ERR_ARG, face::rank() == 0 ? "write(): the stream has failed" : "put returned 1",
                         [&] { a.write(failed); });
    face::expect_failure(DRI_ERR_ARG, "write(): the stream has failed", [&] { pairs.write(failed); });
}

} // namespace
