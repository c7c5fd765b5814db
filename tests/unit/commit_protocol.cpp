// Commits of loopback ranks up to the matched transfers: what each process receives, with which tags, at which
// cost.
#include "unit/commit_scope.hpp"

#include <algorithm>
#include <set>

namespace dri::test {

using namespace dri;

namespace {

using Sides = std::vector<SideDeclared>;

// A source over `from` and a sink over each group of `to`.
Sides one_name(const std::string &name, const std::vector<int> &from, const std::vector<std::vector<int>> &to) {
    Sides sides{{name, commit::Role::source, cut_evenly(1000, from)}};
    for (const auto &group : to)
        sides.push_back({name, commit::Role::sink, cut_evenly(1000, group)});
    return sides;
}

void add(Sides &sides, const Sides &more) { sides.insert(sides.end(), more.begin(), more.end()); }

std::vector<model::Group> groups_of(const std::vector<planner::Side> &sides) {
    std::vector<model::Group> groups;
    for (const planner::Side &side : sides)
        groups.push_back(side.dist->group());
    return groups;
}

} // namespace

TEST(CommitProtocol, ASinkReceivesTheSourceAndItselfOnly) {
    const std::vector<std::vector<int>> consumers{{2, 3}, {3, 4, 5}, {6}};
    for (const Committed &one : commit_scope(8, one_name("zebra", {0, 1}, consumers))) {
        ASSERT_EQ(one.error.code(), DRI_SUCCESS) << one.error.what();
        if (one.rank == 7) {
            EXPECT_TRUE(one.transfers.empty());
            continue;
        }
        ASSERT_EQ(one.transfers.size(), 1u);
        EXPECT_EQ(one.transfers[0].source.dist->group(), model::Group({0, 1}));
        std::vector<model::Group> expected;
        for (const auto &group : consumers)
            if (one.rank < 2 || std::count(group.begin(), group.end(), one.rank))
                expected.emplace_back(group);
        EXPECT_EQ(groups_of(one.transfers[0].sinks), expected) << "rank " << one.rank;
    }
}

TEST(CommitProtocol, EveryFlowHasItsOwnTag) {
    for (int size : {1, 2, 3, 8, 33}) {
        Sides sides;
        for (int n = 0; n < 40; ++n) {
            const int first = n % size;
            Sides name =
                one_name(fmt::format("name {}", n), stepping(1 + n % (size - first), first), {stepping(size)});
            if (size > 1)
                add(name, {{name[0].name, commit::Role::sink, cut_evenly(1000, stepping(size - 1, 1))}});
            add(sides, name);
        }
        std::map<std::pair<std::string, Digest>, std::set<int64_t>> tags;
        for (const Committed &one : commit_scope(size, sides)) {
            ASSERT_EQ(one.error.code(), DRI_SUCCESS) << one.error.what();
            EXPECT_EQ(one.counters.tag, size == 1 ? 40 : 80);
            for (const commit::MatchedTransfer &t : one.transfers)
                for (size_t k = 0; k < t.sinks.size(); ++k)
                    tags[{t.name, t.sinks[k].dist->id()}].insert(t.tags[k]);
        }
        std::set<int64_t> used;
        for (const auto &[flow, own] : tags) {
            EXPECT_EQ(own.size(), 1u) << flow.first;
            EXPECT_TRUE(used.insert(*own.begin()).second) << flow.first;
        }
        EXPECT_EQ(used.size(), size == 1 ? 40u : 80u);
        EXPECT_EQ(*used.rbegin(), static_cast<int64_t>(used.size()) - 1);
    }
}

TEST(CommitProtocol, TagsContinueFromTheHighestOfAllProcesses) {
    const auto all = commit_scope(4, one_name("zebra", {0, 1}, {{2, 3}}), [](int rank) {
        return commit::Counters{rank == 2 ? 100 : rank, static_cast<uint64_t>(rank)};
    });
    for (const Committed &one : all) {
        EXPECT_EQ(one.counters.tag, 101);
        EXPECT_EQ(one.transfers[0].tags, std::vector<int64_t>{100});
    }
}

TEST(CommitProtocol, TagsThatRunOutFailOnAll) {
    const int64_t max = dri::test::make_loopback(1)[0]->exchange_tags();
    const Sides sides = one_name("zebra", {0, 1}, {{1}, {2, 3}});
    for (const Committed &one : commit_scope(5, sides, [&](int) { return commit::Counters{max - 2, 0}; }))
        EXPECT_EQ(one.error.code(), DRI_SUCCESS);
    for (const Committed &one : commit_scope(5, sides, [&](int) { return commit::Counters{max - 1, 0}; }))
        EXPECT_EQ(one.error.code(), DRI_ERR_LIMIT);
}

TEST(CommitProtocol, LayoutsAreSentIfTheyDiffer) {
    Sides sides = one_name("zebra", {0, 1, 2}, {{0, 1, 2}});
    sides[0].layout = [](int rank) {
        model::Layout layout;
        layout.pitch = rank;
        return layout;
    };
    for (const Committed &one : commit_scope(3, sides)) {
        ASSERT_EQ(one.transfers.size(), 1u);
        ASSERT_EQ(one.transfers[0].source.layouts.size(), 3u);
        for (int q = 0; q < 3; ++q)
            EXPECT_EQ(one.transfers[0].source.layout(q).pitch, q);
        EXPECT_EQ(one.transfers[0].sinks[0].layouts.size(), 1u);
    }
}

TEST(CommitProtocol, ADistributionIsSentOnceToThoseThatLackIt) {
    // Exact sizes of many parts make a large wire form, which three names use.
    constexpr int parts = 300;
    model::CutRule exact;
    exact.kind = model::CutKind::sizes;
    exact.nparts = parts;
    exact.sizes.assign(parts, 3);
    const std::vector<int64_t> extent{3 * parts};
    const auto large =
        std::make_shared<model::Distribution>(model::make_gdo(model::make_real(Scalar::float32), extent),
                                              model::Partition{exact}, model::Group(stepping(parts)));
    const auto wire = static_cast<int64_t>(large->wire().size());
    ASSERT_GT(wire, 8 * parts);
    Sides sides;
    for (const char *name : {"a", "b", "c"})
        add(sides, {{name, commit::Role::source, large},
                    {name, commit::Role::sink, cut_evenly(3 * parts, stepping(10, parts - 5))}});
    for (const Committed &one : commit_scope(parts + 6, sides)) {
        ASSERT_EQ(one.error.code(), DRI_SUCCESS) << one.error.what();
        // Processes that hold the distribution, or do not need it, do not receive it. A directory receives its
        // head at most.
        if (one.rank >= parts && one.rank < parts + 5) {
            EXPECT_GE(one.received.bytes, wire) << one.rank;
            EXPECT_LE(one.received.bytes, 2 * wire) << one.rank;
            EXPECT_EQ(one.transfers[0].source.dist->wire(), large->wire());
            EXPECT_EQ(one.transfers[0].source.dist, one.transfers[2].source.dist);
        } else if (one.rank == parts + 5) {
            EXPECT_LE(one.received.bytes, wire) << one.rank;
        }
    }
}

// Names without an endpoint on a process cost that process nothing, unless it is the directory of one of them.
TEST(CommitProtocol, NamesOfOthersAreNotReceived) {
    constexpr int size = 256;
    std::vector<std::vector<Received>> received;
    for (int names : {1, 10, 100}) {
        Sides sides = one_name("ours", {0, 1}, {{2, 3}});
        // Pairs on other ranks than ours, more in each round.
        for (int n = 0; n < names; ++n)
            add(sides, one_name(fmt::format("theirs {}", n), {100 + n}, {{101 + n}}));
        received.emplace_back();
        for (const Committed &one : commit_scope(size, sides)) {
            ASSERT_EQ(one.error.code(), DRI_SUCCESS) << one.error.what();
            received.back().push_back(one.received);
        }
    }
    int silent = 0;
    int64_t max = 0;
    for (size_t rank = 0; rank < 100; ++rank) {
        silent += received[2][rank].bytes == received[0][rank].bytes;
        for (const auto &round : received)
            max = std::max(max, round[rank].bytes - received[0][rank].bytes);
    }
    // 100 names on 256 directories: some two thirds of the processes receive none, and no process more than a few.
    EXPECT_GE(silent, 50);
    EXPECT_LE(max, 5 * 2 * 400) << "bytes for the two endpoints of a name at its directory";
}

TEST(CommitProtocol, ThousandProcessesCommitHundredNames) {
    constexpr int size = 1024;
    // Each name has eight processes on either side, so every process has one or two endpoints.
    Sides sides;
    for (int n = 0; n < 100; ++n)
        add(sides,
            one_name(fmt::format("name {}", n), stepping(8, n * 8 % size), {stepping(8, (n * 8 + 4) % size)}));
    Received max, sum;
    for (const Committed &one : commit_scope(size, sides)) {
        ASSERT_EQ(one.error.code(), DRI_SUCCESS) << one.error.what();
        max.bytes = std::max(max.bytes, one.received.bytes);
        max.messages = std::max(max.messages, one.received.messages);
        sum.bytes += one.received.bytes;
    }
    // Sending 1,600 endpoints to all processes would cost each at least 1,600 x 150 bytes.
    EXPECT_LE(max.bytes, 24000);
    EXPECT_LE(sum.bytes / size, 3000);
    EXPECT_LE(max.messages, 200);
}

} // namespace dri::test
