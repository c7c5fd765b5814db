// Calls before the library starts and after it has stopped, restarts, and starts on some of the processes. Each
// test leaves the library stopped, as the next one needs it.
#include "support/case_part.hpp"
#include "support/every_call.hpp"
#include "support/good_turn.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace dri::test {
namespace {

// The handle of an object that is never destroyed.
template <class Object> auto leave(Object object) { return std::exchange(*object.out(), {}); }

bool runs() {
    int flag = -1;
    EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS);
    return flag == 1;
}

TEST(Lifecycle, NothingWorksBeforeTheStart) {
    EXPECT_FALSE(runs());
    EXPECT_STREQ(DRI_error_message(), "");
    expect_refused(calls_that_need_the_library());
    EXPECT_FALSE(runs());
}

// A new function of the interface must be added to these calls, or to the list of those that need no library.
TEST(Lifecycle, EveryFunctionIsCalledBeforeTheStart) {
    std::set<std::string> known{"error_message",    "error_string", "fail",        "free",      "init",
                                "init_comm",        "init_fcomm",   "initialized", "kept_free", "version",
                                "set_error_handler"};
    known.insert({"dap_check_all", "dap_free", "dap_global_index", "dap_local_index", "dap_owned", "dap_validate",
                  "dap_validate_dim", "dap_write_out"});
    known.insert({"range", "range_order", "range_common", "densify", "undensify"});
    known.insert(
        {"default_partition", "target_of_slice", "bounding_box", "core", "task_levels", "graph_get_faults"});
    for (const WrongCall &call : calls_that_need_the_library())
        known.insert(call.what);
    std::ifstream exported(std::filesystem::path(DRI_TESTS_FOLDER) / "abi/exported.txt");
    int functions = 0;
    for (std::string symbol; std::getline(exported, symbol);)
        if (symbol.size() > 4 && std::islower(symbol[4])) {
            ++functions;
            EXPECT_EQ(known.count(symbol.substr(4)), 1u) << symbol;
        }
    EXPECT_GT(functions, 70);
}

TEST(Lifecycle, SomeCallsAreAllowedAtAnyTime) {
    EXPECT_EQ(DRI_initialized(nullptr), DRI_ERR_ARG);
    int major = -1, minor = -1, patch = -1;
    EXPECT_EQ(DRI_version(&major, &minor, &patch), DRI_SUCCESS);
    EXPECT_EQ(major, DRI_VERSION_MAJOR);
    EXPECT_EQ(minor, DRI_VERSION_MINOR);
    EXPECT_EQ(patch, DRI_VERSION_PATCH);
    EXPECT_EQ(DRI_version(nullptr, nullptr, nullptr), DRI_SUCCESS);
    EXPECT_EQ(DRI_set_error_handler(nullptr, nullptr), DRI_SUCCESS);
    EXPECT_STREQ(DRI_error_string(DRI_ERR_STATE), "DRI_ERR_STATE");
    EXPECT_EQ(DRI_fail(DRI_ERR_LIMIT, "no valves left"), DRI_ERR_LIMIT);
    EXPECT_STREQ(DRI_error_message(), "no valves left");
}

// The user's choice of MPI error handlers must stay in effect.
void expect_mpi_handlers_kept() {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
        MPI_Errhandler now = MPI_ERRHANDLER_NULL;
        MPI_Comm_get_errhandler(comm, &now);
        EXPECT_EQ(now, MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_free(&now);
    }
}

TEST(Lifecycle, WrongWorldsAreRefused) {
    expect_refused({
        {"a null communicator", [] { return DRI_init_comm(MPI_COMM_NULL); }, DRI_ERR_ARG, {}},
        {"a null Fortran communicator",
         [] { return DRI_init_fcomm(MPI_Comm_c2f(MPI_COMM_NULL)); },
         DRI_ERR_ARG,
         {}},
        {"-1 for a Fortran communicator", [] { return DRI_init_fcomm(-1); }, DRI_ERR_ARG, {"-1"}},
        {"-5 for a Fortran communicator", [] { return DRI_init_fcomm(-5); }, DRI_ERR_ARG, {"-5"}},
        {"a number that no communicator has", [] { return DRI_init_fcomm(1000000); }, DRI_ERR_ARG, {"1000000"}},
    });
    expect_mpi_handlers_kept();
    const auto [rank, size] = world();
    if (size > 1) {
        MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
        expect_refused({{"an intercommunicator", [=] { return DRI_init_comm(inter); }, DRI_ERR_ARG, {}}});
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    EXPECT_FALSE(runs());
}

TEST(Lifecycle, TheLibraryStartsOnceAndLeavesMpiRunning) {
    ASSERT_EQ(DRI_init(nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_TRUE(runs());
    const WrongCalls again{
        {"DRI_init again", [] { return DRI_init(nullptr, nullptr); }, DRI_ERR_STATE, {}},
        {"DRI_init_comm again", [] { return DRI_init_comm(MPI_COMM_WORLD); }, DRI_ERR_STATE, {}},
        {"DRI_init_fcomm again", [] { return DRI_init_fcomm(MPI_Comm_c2f(MPI_COMM_WORLD)); }, DRI_ERR_STATE, {}},
        {"no output for the size", [] { return DRI_world_size(nullptr); }, DRI_ERR_ARG, {"size"}},
        {"no output for the rank", [] { return DRI_world_rank(nullptr); }, DRI_ERR_ARG, {"rank"}},
    };
    expect_refused_by_all(again);
    int rank = -1, size = -1;
    EXPECT_EQ(DRI_world_rank(&rank), DRI_SUCCESS);
    EXPECT_EQ(DRI_world_size(&size), DRI_SUCCESS);
    EXPECT_EQ(rank, world().rank);
    EXPECT_EQ(size, world().size);
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    int finalized = 1;
    MPI_Finalized(&finalized);
    EXPECT_EQ(finalized, 0) << "whoever starts MPI finishes it";
    EXPECT_FALSE(runs());
    expect_refused(calls_that_need_the_library());
}

// Buffers of both ends by the ways that the machine has. They are read after the library has stopped.
TEST(Lifecycle, KeptBuffersOutliveTheLibrary) {
    ASSERT_EQ(DRI_init_fcomm(MPI_Comm_c2f(MPI_COMM_WORLD)), DRI_SUCCESS) << DRI_error_message();
    const CasePart from(case_of("int32 [14,9] block,* rm -> *,block cm buffers=2"), DRI_SOURCE),
        to(case_of("int32 [14,9] block,* rm -> *,block cm buffers=2"), DRI_SINK);
    void *buffers[2][2];
    DRI_Kept *kept[2];
    void *memory = nullptr;
    expect_success(DRI_alloc(100, 0, &memory), "DRI_alloc");
    {
        const DRI_Xfer source = leave(from.declare("kept").xfer), sink = leave(to.declare("kept").xfer);
        commit(make_world());
        for (int64_t frame = 0; frame < 2; ++frame) {
            from.fill(buffer_of<void>(source), frame);
            expect_success(DRI_do("kept", DRI_XFER_NULL), "DRI_do");
        }
        for (const auto &[i, xfer] : {std::pair(0, source), {1, sink}}) {
            expect_success(DRI_xfer_get_buffers(xfer, nullptr, buffers[i]), "DRI_xfer_get_buffers");
            expect_success(DRI_xfer_keep_buffers(xfer, &kept[i]), "DRI_xfer_keep_buffers");
        }
    }
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    for (int64_t frame = 0; frame < 2; ++frame) {
        EXPECT_EQ(to.wrong(buffers[1][frame], frame), 0);
        from.fill(buffers[0][frame], frame + 5); // still writable
    }
    std::thread([&] { EXPECT_EQ(DRI_kept_free(kept[0]), DRI_SUCCESS); }).join();
    EXPECT_EQ(DRI_kept_free(kept[1]), DRI_SUCCESS);
    EXPECT_EQ(DRI_kept_free(nullptr), DRI_SUCCESS);
    static_cast<char *>(memory)[99] = 1;
    EXPECT_EQ(DRI_free(memory), DRI_SUCCESS) << "also memory of DRI_alloc outlives the library";
    EXPECT_EQ(DRI_free(memory), DRI_ERR_ARG);
}

TEST(Lifecycle, FinalizeDestroysRemainingObjects) {
    ASSERT_EQ(DRI_init_fcomm(MPI_Comm_c2f(MPI_COMM_WORLD)), DRI_SUCCESS) << DRI_error_message();
    const DRI_Gdo gdo = leave(make_gdo({8, 8}));
    const DRI_Group group = leave(make_world());
    const DRI_Dist dist = leave(make_dist(gdo, make_blocks(2, 0), group));
    const DRI_Xfer source = leave(make_xfer("left", DRI_SOURCE, dist));
    const DRI_Xfer sink = leave(make_xfer("left", DRI_SINK, dist));
    const DRI_Xfer undone = leave(make_xfer("undone", DRI_SINK, dist));
    EXPECT_EQ(DRI_commit(group), DRI_ERR_UNMATCHED);
    DRI_Xfer copy = undone;
    EXPECT_EQ(DRI_xfer_destroy(&copy), DRI_SUCCESS);
    commit(group);
    expect_success(DRI_do("left", DRI_XFER_NULL), "DRI_do");
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();

    ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_gdo_get_count(gdo, nullptr, nullptr), DRI_ERR_HANDLE) << "handles do not outlive the library";
    EXPECT_EQ(DRI_group_get_size(group, nullptr, nullptr), DRI_ERR_HANDLE);
    EXPECT_EQ(DRI_dist_get_count(dist, 0, nullptr, nullptr), DRI_ERR_HANDLE);
    EXPECT_EQ(DRI_do(nullptr, source), DRI_ERR_HANDLE);
    EXPECT_EQ(DRI_do(nullptr, sink), DRI_ERR_HANDLE);
    EXPECT_EQ(DRI_do("left", DRI_XFER_NULL), DRI_ERR_ARG);
    expect_good_turn();
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(Lifecycle, TheUserMayFreeTheWorldsCommunicatorAtOnce) {
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    ASSERT_EQ(DRI_init_comm(mine), DRI_SUCCESS) << DRI_error_message();
    MPI_Comm_free(&mine);
    {
        Group group;
        ASSERT_EQ(DRI_group_from_comm(MPI_COMM_WORLD, group.out()), DRI_SUCCESS) << DRI_error_message();
        int size = 0, position = -1;
        EXPECT_EQ(DRI_group_get_size(group, &size, &position), DRI_SUCCESS);
        EXPECT_EQ(size, world().size);
        EXPECT_EQ(position, world().rank);
    }
    expect_good_turn();
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
}

TEST(Lifecycle, TheLibraryStartsAndStopsManyTimes) {
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
        if (i % 5 == 0)
            expect_good_turn();
        ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
}

TEST(Lifecycle, TheWorldMayBePartOfTheProcessesInAnotherOrder) {
    const auto [rank, size] = world();
    // The processes without process 0, in falling order; process 0 alone. So two kinds of worlds are made.
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, -rank, &part);
    ASSERT_EQ(DRI_init_comm(part), DRI_SUCCESS) << DRI_error_message();
    int dri_rank = -1, dri_size = -1;
    EXPECT_EQ(DRI_world_rank(&dri_rank), DRI_SUCCESS);
    EXPECT_EQ(DRI_world_size(&dri_size), DRI_SUCCESS);
    EXPECT_EQ(dri_size, rank == 0 ? 1 : size - 1);
    EXPECT_EQ(dri_rank, rank == 0 ? 0 : size - 1 - rank);

    DRI_Group group{7};
    EXPECT_EQ(DRI_group_from_comm(part, &group), DRI_SUCCESS) << DRI_error_message();
    int n = 0, position = -1;
    EXPECT_EQ(DRI_group_get_size(group, &n, &position), DRI_SUCCESS);
    EXPECT_EQ(n, dri_size);
    EXPECT_EQ(position, dri_rank);
    EXPECT_EQ(DRI_group_destroy(&group), DRI_SUCCESS);
    if (size > 1) {
        group.id = 7;
        EXPECT_EQ(DRI_group_from_comm(MPI_COMM_WORLD, &group), DRI_ERR_ARG) << "has processes outside the world";
        EXPECT_EQ(group.id, 0u);
    }
    {
        const Group all = make_world();
        const Dist dist = make_dist(make_gdo({24}, DRI_INT32), make_blocks(1, 0), all);
        const Dist one = make_dist(make_gdo({24}, DRI_INT32), make_part({{.kind = DRI_BLOCK, .nparts = 1}}), all);
        const Xfer source = make_xfer("gather", DRI_SOURCE, dist), sink = make_xfer("gather", DRI_SINK, one);
        commit(all);
        int64_t mine = 0;
        expect_success(DRI_dist_get_count(dist, dri_rank, &mine, nullptr), "DRI_dist_get_count");
        DRI_Part_tuple tuple;
        expect_success(DRI_dist_get_part(dist, dri_rank, &tuple), "DRI_dist_get_part");
        for (int64_t i = 0; i < mine; ++i)
            buffer_of<int32_t>(source)[i] = static_cast<int32_t>(tuple.left_x + i);
        expect_success(DRI_do("gather", DRI_XFER_NULL), "DRI_do");
        for (int32_t i = 0; i < 24; ++i)
            EXPECT_EQ(buffer_of<int32_t>(sink)[i], i);
    }
    ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    MPI_Comm_free(&part);
}

} // namespace
} // namespace dri::test
