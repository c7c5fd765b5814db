// Source and sink groups of every kind: equal, disjoint, overlapping, in other orders, with replicas.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri_test {
namespace {

Case turn(const std::vector<int> &from, const std::vector<int> &to) {
    return {{14, 9}, {{blocks, whole}, from}, {{whole, blocks}, to, {{1, 0}}}};
}

TEST(Groups, ScatterAndGather) {
    for (int one = 0; one < world().size; ++one) {
        expect_transfer(turn({one}, all_ranks()));
        expect_transfer(turn(all_ranks(), {one}));
    }
}

TEST(Groups, OneProcessToOne) {
    for (int from = 0; from < world().size; ++from)
        for (int to = 0; to < world().size; ++to)
            expect_transfer(turn({from}, {to}));
}

TEST(Groups, WithoutCommonProcesses) {
    const int n = world().size;
    if (n < 2)
        GTEST_SKIP() << "needs two processes";
    expect_transfer(turn(ranks(n / 2), ranks(n - n / 2, n / 2)));
    expect_transfer(turn(ranks(n - n / 2, n / 2), ranks(n / 2)));
}

TEST(Groups, PartlyShared) {
    const int n = world().size;
    for (int shared = 1; shared <= n; ++shared) {
        // The first `first` processes and the last ones; `shared` processes are in both groups.
        const int first = (n + shared) / 2;
        expect_transfer(turn(ranks(first), ranks(n - first + shared, first - shared)));
    }
}

TEST(Groups, OtherOrders) {
    std::vector<int> backwards = all_ranks(), rotated = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    std::rotate(rotated.begin(), rotated.begin() + world().size / 2, rotated.end());
    expect_transfer(turn(all_ranks(), backwards));
    expect_transfer(turn(backwards, rotated));
    expect_transfer(turn(rotated, rotated));
    Case same{{14, 9}, {{blocks, whole}, all_ranks()}, {{blocks, whole}, backwards}};
    expect_transfer(same);
}

TEST(Groups, ProcessesThatOnlyCommit) {
    const int n = world().size;
    if (n < 3)
        GTEST_SKIP() << "needs an idle process";
    expect_transfer(turn({n - 1}, {0}));
    expect_transfer(turn({0, n - 1}, {n - 1, 0}));
}

TEST(Groups, EveryProcessHoldsACopy) {
    const Cut one_part{DRI_BLOCK, 1};
    Case all_hold_all{{14, 9}, {{blocks, whole}}, {{one_part, whole}, {}, {{1, 0}}}};
    expect_transfer(all_hold_all);
    // The source may be replicated, too: all its replicas hold the same elements.
    Case from_copies{{14, 9}, {{one_part, whole}}, {{whole, blocks}}};
    expect_transfer(from_copies);
    const int n = world().size;
    if (n % 2 == 0) {
        const Cut halves{DRI_BLOCK, n / 2};
        expect_transfer({{14, 9}, {{blocks, whole}}, {{whole, halves}}});
        expect_transfer({{14, 9}, {{halves, whole}}, {{whole, halves}}});
    }
}

TEST(Groups, ACommitOfTheProcessesThatTakePart) {
    const int n = world().size, rank = world().rank;
    // Neighbours form pairs, and each pair makes its own commit. With an odd number one process is alone.
    const int mate = rank % 2 ? rank - 1 : std::min(rank + 1, n - 1);
    std::vector<int> pair{std::min(rank, mate)};
    if (mate != rank)
        pair.push_back(std::max(rank, mate));
    Case c = turn(pair, pair);
    TransferRun run("pair", c);
    run.declare();
    commit(make_group(pair));
    run.bind();
    for (int f = 0; f < 3; ++f)
        run.frame();
}

TEST(Groups, ACommunicatorsGroup) {
    const auto [rank, size] = world();
    MPI_Comm turned = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    Group group;
    expect_success(DRI_group_from_comm(turned, group.out()), "DRI_group_from_comm");
    MPI_Comm_free(&turned);
    int n = 0, position = -1;
    expect_success(DRI_group_get_size(group, &n, &position), "DRI_group_get_size");
    EXPECT_EQ(n, size);
    EXPECT_EQ(position, size - 1 - rank);
    const Dist dist = make_dist(make_gdo({4 * size}), make_blocks(1, 0), group);
    DRI_Part_tuple tuple;
    expect_success(DRI_dist_get_part(dist, rank, &tuple), "DRI_dist_get_part");
    EXPECT_EQ(tuple.left_x, 4 * (size - 1 - rank));
    EXPECT_EQ(tuple.right_x, 4 * (size - rank));
}

} // namespace
} // namespace dri_test
