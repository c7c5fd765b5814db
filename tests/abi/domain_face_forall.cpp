// Loops over domains and what lies over them.
#include "face.hpp"
#include "support/field.hpp"

#include <atomic>
#include <set>
#include <thread>

namespace {

using dri::Domain;
using dri::forall;
using dri::Index;
using dri::range;
using dri::Ranges;
using dri::zip;
using field::Field;
using field::Slice;

template <std::size_t N> std::vector<Domain<N>> domains(const Ranges<N> &ranges);
template <> std::vector<Domain<1>> domains(const Ranges<1> &ranges) {
    return {{dri::block_map(ranges), ranges},
            {dri::cyclic_map({1}), ranges},
            {dri::block_cyclic_map({0}, {3}), ranges}};
}
template <> std::vector<Domain<3>> domains(const Ranges<3> &ranges) {
    return {{dri::block_map(Ranges(range(0, 9), range(-3, 4), range(0, 8))), ranges},
            {dri::cyclic_map({1, 0, 2}), ranges},
            {dri::block_cyclic_map({0, 1, 0}, {2, 1, 3}), ranges}};
}

// The indices that this process owns, by asking for the owner of each.
template <std::size_t N> std::multiset<Index<N>> owned(const Domain<N> &domain) {
    std::multiset<Index<N>> all;
    for (const Index<N> &at : domain.ranges().indices())
        if (domain.owner(at) == face::rank())
            all.insert(at);
    return all;
}

template <std::size_t N> void expect_each_once(const Ranges<N> &ranges) {
    dri::Team team(3);
    for (const Domain<N> &domain : domains(ranges)) {
        std::multiset<Index<N>> seen;
        forall(domain, [&](auto at) { seen.insert(at); });
        EXPECT_EQ(seen, owned(domain));
        Field<int, N> x(domain), y(domain);
        forall(zip(domain, x, y), [](auto at, int &a, int &b) { a = face::number<N>(at), b = -a; });
        std::atomic<int> wrong{0}, calls{0};
        forall(team, zip(x, domain, y), [&](const int &a, Index<N> at, int &b) {
            ++calls;
            wrong += a != face::number<N>(at) || b != -a;
        });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(calls, static_cast<int>(seen.size()));
    }
}

TEST(DomainFaceForall, CallsEachOwnedIndexOnce) {
    expect_each_once(Ranges(range(0, 23)));
    expect_each_once(Ranges(range(0, 23, -2)));
    expect_each_once(Ranges(range(2, 9), range(-3, 3, 2), range(0, 7, -1)));
    expect_each_once(Ranges(range(0, 3), range(0, 0), range(0, 4)));
}

TEST(DomainFaceForall, GivesIndicesAsNumbers) {
    const Ranges ranges(range(0, 4), range(0, 6));
    const Domain domain(dri::block_map(ranges), ranges);
    Field<std::int64_t, 2> x(domain);
    forall(zip(domain, x), [](std::int64_t i, std::int64_t j, std::int64_t &e) { e = 10 * i + j; });
    forall(zip(x, domain), [](auto e, auto at) { EXPECT_EQ(e, 10 * at[0] + at[1]); });
    forall(x, [](std::int64_t &e) { e = 7; });
    EXPECT_EQ(x.memory(), std::vector<std::int64_t>(x.memory().size(), 7));
}

TEST(DomainFaceForall, GoesThroughSlices) {
    const Ranges ranges(range(0, 9), range(0, 8));
    const Domain domain(dri::block_map(ranges), ranges);
    Field<int, 2> x(domain);
    forall(zip(domain, x), [](auto i, auto j, int &e) { e = static_cast<int>(10 * i + j); });
    for (const Ranges<2> &part :
         {ranges.expand(-1), Ranges(range(0, 9, -2), range(1, 8, 3)), ranges.by({1, -1})}) {
        const Domain some = domain[part];
        int calls = 0, wrong = 0;
        forall(zip(some, Slice(x, part)), [&](auto i, auto j, int &e) {
            ++calls;
            wrong += e != 10 * i + j;
        });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(calls, some.owned());
    }
}

TEST(DomainFaceForall, ChecksAllBeforeTheFirstStep) {
    const Ranges ranges(range(0, 40));
    const Domain blocks(dri::block_map(ranges), ranges), cycles(dri::block_cyclic_map({0}, {2}), ranges);
    Field<int, 1> x(blocks);
    int calls = 0;
    const auto count = [&](auto, int &) { ++calls; };
    const Domain fewer(dri::block_map(ranges), Ranges(range(0, 39)));
    face::expect_failure(DRI_ERR_ARG,
                         "forall(): along dimension 0 the first item has 39 members, but another one has 40",
                         [&] { forall(zip(fewer, x), count); });
    if (face::processes() > 1)
        EXPECT_EQ(face::code_of([&] { forall(zip(cycles, x), count); }), DRI_ERR_MISMATCH);
    else
        calls = 0;
    EXPECT_EQ(calls, 0);
    forall(zip(cycles, blocks), [](auto at, auto same) { EXPECT_EQ(at, same); });
}

TEST(DomainFaceForall, AllocatesNothing) {
    const Ranges ranges(range(0, 40), range(0, 40));
    const Domain domain(dri::block_map(ranges), ranges);
    Field<double, 2> x(domain), y(domain);
    const auto loop = [&] {
        forall(zip(domain, x, y), [](auto at, double &a, double b) { a = b + double(at[0]); });
    };
    loop();
    EXPECT_EQ(face::allocations_of(loop), 0);
}

TEST(DomainFaceTeam, SharesTasks) {
    face::expect_failure(DRI_ERR_ARG, "Team: the number of tasks is below 1", [] { dri::Team none(0); });
    for (int tasks = 1; tasks <= 4; ++tasks) {
        dri::Team team(tasks);
        EXPECT_EQ(team.size(), tasks);
        for (int round = 0; round < 200; ++round) {
            std::vector<int> calls(static_cast<std::size_t>(tasks));
            std::vector<std::thread::id> threads(calls.size());
            team.run([&](int task) {
                ++calls[static_cast<std::size_t>(task)];
                threads[static_cast<std::size_t>(task)] = std::this_thread::get_id();
            });
            ASSERT_EQ(calls, std::vector<int>(calls.size(), 1));
            ASSERT_EQ(threads[0], std::this_thread::get_id());
            ASSERT_EQ(std::set(threads.begin(), threads.end()).size(), calls.size());
            if (round == 100)
                std::this_thread::sleep_for(std::chrono::milliseconds(1)); // they sleep, too
        }
        std::atomic<int> ended{0};
        try {
            team.run([&](int task) {
                ++ended;
                throw task;
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (int task) {
            EXPECT_EQ(task, 0);
        }
        EXPECT_EQ(ended, tasks);
        EXPECT_NO_THROW(team.run([](int) {}));
    }
}

} // namespace
