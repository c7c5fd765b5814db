// Source and sink groups of every kind: equal, disjoint, overlapping, in other orders, with replicas.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {
namespace {

std::string turn(const std::vector<int> &from, const std::vector<int> &to) {
    return fmt::format("float [14,9] block,* rm over {} -> *,block 10 over {} direct", fmt::join(from, ","),
                       fmt::join(to, ","));
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
    expect_transfer(fmt::format("float [14,9] block,* rm -> block,* rm over {}-0 direct", world().size - 1));
}

TEST(Groups, ProcessesThatOnlyCommit) {
    const int n = world().size;
    if (n < 3)
        GTEST_SKIP() << "needs an idle process";
    expect_transfer(turn({n - 1}, {0}));
    expect_transfer(turn({0, n - 1}, {n - 1, 0}));
}

TEST(Groups, EveryProcessHoldsACopy) {
    expect_transfer("float [14,9] block,* rm -> block(1),* 10 over all direct");
    // The source may be replicated, too: all its replicas hold the same elements.
    expect_transfer("float [14,9] block(1),* rm over all -> *,block rm direct");
    const int n = world().size;
    if (n % 2 == 0) {
        expect_transfer(fmt::format("float [14,9] block,* rm -> *,block({}) rm over all direct", n / 2));
        expect_transfer(
            fmt::format("float [14,9] block({0}),* rm over all -> *,block({0}) rm over all direct", n / 2));
    }
}

TEST(Groups, ACommitOfTheProcessesThatTakePart) {
    const int n = world().size, rank = world().rank;
    // Neighbours form pairs, and each pair makes its own commit. With an odd number one process is alone.
    const int mate = rank % 2 ? rank - 1 : std::min(rank + 1, n - 1);
    std::vector<int> pair{std::min(rank, mate)};
    if (mate != rank)
        pair.push_back(std::max(rank, mate));
    TransferRun run("pair", turn(pair, pair));
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
} // namespace dri::test
