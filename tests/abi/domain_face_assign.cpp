// Assignments between arrays, domains that change, and users' maps that assign.
#include "face.hpp"

namespace {

using dri::Array;
using dri::assign;
using dri::Domain;
using dri::forall;
using dri::Index;
using dri::Map;
using dri::Path;
using dri::range;
using dri::Ranges;
using dri::zip;

template <std::size_t N> void number_all(Array<int, N> &a) {
    forall(zip(a.domain(), a), [](auto at, int &x) { x = face::number<N>(at); });
}

TEST(DomainFaceAssign, MovesElementsBetweenMaps) {
    const Ranges ranges(range(0, 12), range(-3, 9));
    Array<int, 2> a(Domain(dri::block_map(ranges), ranges)), b(Domain(dri::cyclic_map({1, 0}), ranges));
    number_all(a);
    b = a;
    forall(zip(b.domain(), b), [](auto at, int x) { EXPECT_EQ(x, face::number<2>(at)); });
    const Ranges to(range(0, 12, 2), range(-3, 0)), from(range(6, 12, -1), range(6, 9));
    b = 0;
    b[to] = a[from];
    DRI_Assigned info{};
    EXPECT_EQ(assign(b[to], std::as_const(a)[from], &info), Path::any); // memory runs the other way
    EXPECT_EQ(info.planned, 0);
    forall(zip(b.domain(), b), [&](auto at, int x) {
        const bool is_in = to.contains(at);
        const int wanted = is_in ? face::number<2>({from[0][to[0].order(at[0])], from[1][to[1].order(at[1])]}) : 0;
        EXPECT_EQ(x, wanted);
    });
    Array<double, 1> line(Domain(dri::block_map(Ranges(range(0, 12))), Ranges(range(0, 12))));
    line = a[{range(3, 4), range(-3, 9)}]; // a row of whole numbers
    forall(zip(line.domain(), line), [](int i, double x) { EXPECT_EQ(x, face::number<2>({3, i - 3})); });
    b[{range(0, 12), range(2, 3)}] = line; // to a column
    forall(zip(b.domain(), b), [](auto at, int x) {
        if (at[1] == 2) {
            EXPECT_EQ(x, face::number<2>({3, at[0] - 3}));
        }
    });
    EXPECT_EQ(assign(line, b[{range(0, 12), range(2, 3)}]), Path::element);
    a.bulk(false);
    EXPECT_EQ(assign(b, a), Path::element);
    a.bulk(true);
    a.plans(3);
    a.threads(2);
    a.timeout(std::chrono::seconds(30));
    EXPECT_EQ(assign(a, b), Path::known);
    EXPECT_EQ(face::code_of([&] { a = a[ranges.by(2)]; }), DRI_ERR_ARG);
    a = static_cast<const Array<int, 2> &>(a);
}

TEST(DomainFaceAssign, FollowsDomainsThatChange) {
    Domain domain(dri::block_map(Ranges(range(0, 12))), Ranges(range(0, 12)));
    const Domain copy(domain);
    Array<int, 1> a(domain), b(copy);
    number_all(a);
    b = a;
    static_cast<void>(copy.own_chunks());
    const auto expect_followed = [&](const Ranges<1> &both) {
        EXPECT_EQ(copy.ranges(), domain.ranges());
        EXPECT_EQ(a.ranges(), domain.ranges());
        std::int64_t calls = 0;
        forall(zip(copy, a, b), [&](auto at, int x, int y) {
            ++calls;
            EXPECT_EQ(x, both.contains(at) ? face::number<1>(at) : 0);
            EXPECT_EQ(y, x);
            EXPECT_EQ(a[at], x);
        });
        EXPECT_EQ(calls, copy.owned());
        EXPECT_EQ(copy.owned(), domain.clone().owned());
    };
    domain.set(Ranges(range(3, 20)));
    expect_followed(Ranges(range(3, 12)));
    domain.set(dri::cyclic_map({0}), Ranges(range(4, 20)));
    expect_followed(Ranges(range(4, 12)));
    EXPECT_EQ(copy.map(), dri::cyclic_map({0}));
    domain.set(dri::block_map(Ranges(range(4, 20)), dri::Group{0}), Ranges(range(4, 20)));
    expect_followed(Ranges(range(4, 12)));
    EXPECT_EQ(copy.owned(), face::rank() == 0 ? 16 : 0);
}

struct Counted {
    int value, copies;
};

} // namespace

template <> struct dri::copy_each<Counted> {
    void operator()(const Counted &from, Counted &to) const { to = {from.value, from.copies + 1}; }
};

namespace {

TEST(DomainFaceAssign, CopiesElementsThatAreNotPlain) {
    const Ranges ranges(range(0, 15));
    Array<Counted, 1> a(Domain(dri::block_map(ranges), ranges)), b(Domain(dri::cyclic_map({0}), ranges));
    forall(zip(a.domain(), a), [](int i, Counted &x) { x = {i, 0}; });
    EXPECT_EQ(assign(b, a), Path::element);
    forall(zip(b.domain(), b), [](int i, const Counted &x) { EXPECT_TRUE(x.value == i && x.copies == 1); });
}

// What the maps below were asked, in order.
std::string asked;

struct Reversed {
    int processes;
    int owner(const Index<1> &at) const { return static_cast<int>((100 - at[0]) % processes); }
    bool known(const dri::Assignment &assignment) const {
        asked += assignment.asks_dst() ? "known dst " : "known src ";
        return assignment.hand_over();
    }
    bool any(const dri::Assignment &assignment) const {
        asked += assignment.asks_dst() ? "any dst " : "any src ";
        if (!assignment.asks_dst() || assignment.to<1>()[0].size != 5)
            return false;
        // It does it in two steps.
        auto dst = Array<int, 1>::borrow(assignment.dst());
        const auto src = Array<int, 1>::borrow(assignment.src());
        const auto to = assignment.to<1>(), from = assignment.from<1>();
        for (const auto &part : {Ranges(range(0, 2)), Ranges(range(2, 5))})
            dst[undensify(part, to)] = src[undensify(part, from)];
        return true;
    }
};

struct Failing : Reversed {
    bool known(const dri::Assignment &) const { throw std::out_of_range("known"); }
    bool any(const dri::Assignment &) const { return false; }
};

TEST(DomainFaceAssign, AsksUsersMaps) {
    const Ranges ranges(range(0, 20));
    const Map map(Reversed{face::processes()}, dri::world());
    Array<int, 1> a(Domain(map, ranges)), b(Domain(map, ranges));
    number_all(a);
    asked.clear();
    EXPECT_EQ(assign(b, a), Path::element);
    EXPECT_EQ(asked, "known dst known src any dst any src ");
    forall(zip(b.domain(), b), [](auto at, int x) { EXPECT_EQ(x, face::number<1>(at)); });
    b = 0;
    DRI_Assigned info{};
    const Ranges to(range(0, 5)), from(range(10, 20, 2));
    EXPECT_EQ(assign(b[to], a[from], &info), Path::any);
    EXPECT_EQ(info.tried, DRI_ASSIGN_KNOWN | DRI_ASSIGN_ANY);
    forall(zip(b.domain(), b),
           [&](auto at, int x) { EXPECT_EQ(x, to.contains(at) ? face::number<1>({from[0][at[0]]}) : 0); });
    Array<int, 1> c(Domain(Map(Failing{{face::processes()}}, dri::world()), ranges));
    EXPECT_THROW(c = a, std::out_of_range);
}

} // namespace
