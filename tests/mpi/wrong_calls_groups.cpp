// Wrong calls on groups. All are local.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

auto new_group(const std::vector<int> &procs) {
    return makes<DRI_Group>(
        [=](DRI_Group *out) { return DRI_group_create(static_cast<int>(procs.size()), procs.data(), out); });
}

auto new_group(int nprocs, const int *procs) {
    return makes<DRI_Group>([=](DRI_Group *out) { return DRI_group_create(nprocs, procs, out); });
}

DRI_Group old_group() {
    DRI_Group group{};
    EXPECT_EQ(DRI_group_create_world(&group), DRI_SUCCESS);
    return stale(group, DRI_group_destroy);
}

TEST(WrongCallsGroup, AreRefused) {
    const int size = world().size;
    const std::string n = std::to_string(size);
    std::vector<int> doubled = all_ranks();
    doubled.push_back(size - 1);
    const DRI_Group old = old_group();
    static const int zero = 0;
    const WrongCalls table{
        {"no processes", new_group(0, &zero), DRI_ERR_ARG, {"0"}},
        {"-1 processes", new_group(-1, &zero), DRI_ERR_ARG, {"-1"}},
        {"no ranks", new_group(1, nullptr), DRI_ERR_ARG, {"procs"}},
        {"rank -1", new_group({-1}), DRI_ERR_ARG, {"procs[0]", "-1"}},
        {"a rank outside the world", new_group({0, size}), DRI_ERR_ARG, {"procs[1]", n}},
        {"a rank twice",
         new_group(doubled),
         DRI_ERR_ARG,
         {"procs[" + n + "]", "procs[" + std::to_string(size - 1) + "]", std::to_string(size - 1)}},
        {"no output for the handle", [] { return DRI_group_create(1, &zero, nullptr); }, DRI_ERR_ARG, {"group"}},
        {"no output for the world", [] { return DRI_group_create_world(nullptr); }, DRI_ERR_ARG, {"group"}},
        {"size of null", [] { return DRI_group_get_size({}, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
        {"size of a type",
         [] { return DRI_group_get_size(as<DRI_Group>(DRI_INT8), nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
        {"size of a destroyed group",
         [old] { return DRI_group_get_size(old, nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
        {"destroying NULL", [] { return DRI_group_destroy(nullptr); }, DRI_ERR_ARG, {}},
        {"destroying null", destroys(DRI_Group{}, DRI_group_destroy), DRI_ERR_HANDLE, {}},
        {"destroying twice", destroys(old, DRI_group_destroy), DRI_ERR_HANDLE, {}},
        {"a null communicator",
         makes<DRI_Group>([](DRI_Group *out) { return DRI_group_from_comm(MPI_COMM_NULL, out); }),
         DRI_ERR_ARG,
         {}},
        {"no output for the communicator's group",
         [] { return DRI_group_from_comm(MPI_COMM_WORLD, nullptr); },
         DRI_ERR_ARG,
         {"group"}},
    };
    expect_refused(table);
}

TEST(WrongCallsGroup, AnIntercommunicatorIsRefused) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    expect_refused({{"an intercommunicator",
                     makes<DRI_Group>([inter](DRI_Group *out) { return DRI_group_from_comm(inter, out); }),
                     DRI_ERR_ARG,
                     {}}});
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

} // namespace
} // namespace dri::test
