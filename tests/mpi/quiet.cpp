// What the library must not do: communicate in local calls, leak, or interfere with the user's messages.
#include "support/library.hpp"
#include "support/mpi_counter.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

namespace dri::test {
namespace {

// Makes one object with each local call, and destroys it.
void make_and_destroy_everything() {
    Type type;
    expect_success(DRI_type_create(6, 8, type.out()), "DRI_type_create");
    const Gdo gdo = make_gdo({20, 30}, type);
    const int64_t at[]{1, 2}, sizes[]{5, 6}, strides[]{30, 1};
    Gdo sub;
    expect_success(DRI_gdo_subset(gdo, at, sizes, sub.out()), "DRI_gdo_subset");
    const Part part = make_part({{.kind = DRI_BLOCK_CYCLIC, .block = 4}, {}});
    const int perm[]{1, 0};
    Part turned;
    expect_success(DRI_part_turn(part, perm, turned.out()), "DRI_part_turn");
    const Part blocks = make_blocks(2, 1);
    const Part exact = make_exact({{0, 1, 2, 3}, {0, 0, 9, 0}});
    const Part edged = with_edges(exact, {DRI_WRAP, DRI_PAD_ZERO}, {DRI_TRUNCATE, DRI_PAD_REPLICATE});
    const Group group = make_world(), one = make_group({0});
    Group from_comm;
    expect_success(DRI_group_from_comm(MPI_COMM_WORLD, from_comm.out()), "DRI_group_from_comm");
    Layout packed, strided, pitched;
    expect_success(DRI_layout_create_packed(2, perm, packed.out()), "DRI_layout_create_packed");
    expect_success(DRI_layout_create(2, strides, strided.out()), "DRI_layout_create");
    expect_success(DRI_layout_with_pitch(packed, 16, pitched.out()), "DRI_layout_with_pitch");
}

// Makes all queries of a distribution, for element (3, 4).
void ask(DRI_Dist dist, bool is_grid = true) {
    const int rank = world().rank;
    std::array<DRI_Part_tuple, 2> tuples;
    std::array<int64_t, 2> longs{};
    std::array<int, 8> ints;
    std::array<char, 200> text;
    int64_t n = 0;
    expect_success(DRI_dist_get_part(dist, rank, tuples.data()), "DRI_dist_get_part");
    expect_success(DRI_dist_get_extents(dist, rank, longs.data()), "DRI_dist_get_extents");
    expect_success(DRI_dist_get_count(dist, rank, &n, nullptr), "DRI_dist_get_count");
    expect_success(DRI_dist_num_blocks(dist, rank, 0, &n), "DRI_dist_num_blocks");
    if (is_grid) {
        expect_success(DRI_dist_get_grid(dist, ints.data()), "DRI_dist_get_grid");
        expect_success(DRI_dist_get_coords(dist, rank, ints.data()), "DRI_dist_get_coords");
    }
    longs = {3, 4};
    expect_success(DRI_dist_owner(dist, longs.data(), ints.data()), "DRI_dist_owner");
    DRI_Block block;
    expect_success(DRI_dist_get_block(dist, ints[0], 1, 0, &block), "DRI_dist_get_block");
    std::array<int64_t, 2> local{};
    expect_success(DRI_dist_local_index(dist, ints[0], longs.data(), local.data()), "DRI_dist_local_index");
    expect_success(DRI_dist_global_index(dist, ints[0], local.data(), longs.data()), "DRI_dist_global_index");
    expect_success(DRI_dist_replicas(dist, longs.data(), &ints[1], nullptr), "DRI_dist_replicas");
    expect_success(DRI_dist_equal(dist, dist, ints.data()), "DRI_dist_equal");
    expect_success(DRI_dist_describe(dist, text.data(), text.size()), "DRI_dist_describe");
    expect_success(DRI_layout_get_strides(DRI_ROW_MAJOR, dist, rank, longs.data()), "DRI_layout_get_strides");
}

int64_t resident_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            int64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes;
        }
    return -1;
}

// Runs the loop a little, then fully, and expects that memory and communicators do not grow. A sanitizer's
// allocator grows by itself, so under sanitizers a few loops only look for errors.
template <class F> void expect_no_growth(int loops, const F &loop) {
    if (sanitized)
        loops /= 20;
    for (int i = 0; i < loops / 10; ++i)
        loop();
    const long communicators = mpi_calls.communicators, types = mpi_calls.types;
    const int64_t before = resident_kilobytes();
    EXPECT_GT(before, 0);
    for (int i = 0; i < loops; ++i)
        loop();
    const int64_t grown = resident_kilobytes() - before;
    EXPECT_TRUE(sanitized || grown < 2048) << grown << " kilobytes after " << loops << " loops";
    EXPECT_EQ(mpi_calls.communicators, communicators);
    EXPECT_EQ(mpi_calls.types, types);
}

TEST(Quiet, LocalCallsSendNothing) {
    const Group all = make_world();
    const Gdo gdo = make_gdo({20, 30});
    const Dist dist = make_dist(gdo, make_blocks(2, 0), all);
    const int64_t n = world().size, rank = world().rank;
    std::vector<int64_t> list;
    for (int64_t i = 30; i-- > 0;)
        if (i % n == rank)
            list.push_back(i);
    const std::vector<double> weights(static_cast<size_t>(n), 1.5);
    const Dist lists = make_dist(
        gdo,
        make_part({{}, {.kind = DRI_INDICES, .indices = list.data(), .nindices = std::ssize(list), .left = 2}}),
        all);
    const Dist weighed = make_dist(gdo,
                                   make_part({{.kind = DRI_WEIGHTS,
                                               .nparts = static_cast<int>(n),
                                               .weights = weights.data(),
                                               .right = 25,
                                               .right_edge = DRI_WRAP},
                                              {}}),
                                   all);
    const Dist exact =
        make_dist(gdo, make_exact({{1, 20 * rank / n, 20 * (rank + 1) / n, 1}, {0, 0, 30, 0}}), all);
    const Dist cyclic =
        make_dist(gdo,
                  make_part({{.kind = DRI_BLOCK_CYCLIC, .block = 3, .left = 2, .left_edge = DRI_PAD_ZERO},
                             {.right = 4, .right_edge = DRI_PAD_REPLICATE}}),
                  all);
    std::vector<int64_t> sizes(static_cast<size_t>(n), 0);
    sizes.front() = 3;
    sizes.back() += 17;
    const Dist sized = make_dist(
        gdo, make_part({{.kind = DRI_SIZES, .nparts = static_cast<int>(n), .sizes = sizes.data()}, {}}), all);
    const Dist copies = make_dist(gdo, make_part({{.kind = DRI_BLOCK, .nparts = 1}, {}}), all);
    barrier();
    const long before = all_traffic();
    make_and_destroy_everything();
    ask(dist);
    ask(cyclic);
    ask(sized);
    ask(copies);
    ask(lists);
    ask(weighed);
    ask(exact, false);
    {
        const Xfer source = make_xfer("quiet", DRI_SOURCE, dist), sink = make_xfer("quiet", DRI_SINK, dist);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_MESSAGE_BYTES, 1000), "DRI_xfer_set_attr");
        size_t bytes = 0;
        expect_success(DRI_xfer_buffer_bytes(source, &bytes), "DRI_xfer_buffer_bytes");
    }
    EXPECT_EQ(all_traffic(), before);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(all_traffic(), before + 1) << "the counter counts";
}

TEST(Quiet, QueriesOfACommittedEndpointSendNothing) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({20, 30}), make_blocks(2, 0), all);
    const Dist columns = make_dist(make_gdo({20, 30}), make_blocks(2, 1), all);
    const Xfer source = make_xfer("asked", DRI_SOURCE, rows), sink = make_xfer("asked", DRI_SINK, columns);
    commit(all);
    expect_success(DRI_do("asked", DRI_XFER_NULL), "DRI_do");
    barrier();
    const long before = all_traffic();
    DRI_Xfer_info info;
    for (DRI_Xfer endpoint : {source.get(), sink.get()}) {
        expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
        expect_success(DRI_xfer_get_buffers(endpoint, nullptr, nullptr), "DRI_xfer_get_buffers");
        EXPECT_NE(buffer_of<void>(endpoint), nullptr);
        EXPECT_FALSE(explain(endpoint).empty());
    }
    EXPECT_EQ(all_traffic(), before);
}

TEST(Quiet, ACornerTurnInsideOneProcessSendsNothing) {
    const Dist dist = make_dist(make_gdo({20, 30}), make_blocks(2, 0), make_group({world().rank}));
    const Xfer source = make_xfer("mine", DRI_SOURCE, dist),
               sink = make_xfer("mine", DRI_SINK, dist, DRI_COL_MAJOR);
    commit(make_group({world().rank}));
    const long before = all_traffic();
    for (int f = 0; f < 5; ++f)
        expect_success(DRI_do("mine", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(all_traffic(), before);
}

TEST(Quiet, ADistributionConcernsItsGroupAlone) {
    const auto [rank, size] = world();
    // The other processes are at the barrier and take no part.
    if (rank == 0)
        make_dist(make_gdo({20, 30}), make_blocks(2, 0), make_group({0}));
    barrier();
    if (rank >= size / 2)
        make_dist(make_gdo({20, 30}), make_blocks(2, 0), make_group(ranks(size - size / 2, size / 2)));
    barrier();
}

TEST(Quiet, TenThousandObjectsLeaveNothing) {
    if (world().size > 2)
        GTEST_SKIP() << "objects of one process: two processes are enough";
    expect_no_growth(10000, make_and_destroy_everything);
}

// Processes that wait for each other are slow if there are fewer cores, so most loops use one process only. They
// run on few processes, because more do not change them.
TEST(Quiet, DistributionsLeaveNothing) {
    const Group all = make_world(), alone = make_group({world().rank});
    const Gdo gdo = make_gdo({20, 30});
    const Part part = make_blocks(2, 0);
    if (world().size <= 2)
        expect_no_growth(10000, [&] { ask(make_dist(gdo, part, alone)); });
    expect_no_growth(500, [&] { ask(make_dist(gdo, part, all)); });
}

TEST(Quiet, CommitsAndFramesLeaveNothing) {
    const Group all = make_world(), alone = make_group({world().rank});
    const Gdo gdo = make_gdo({40, 60});
    int turn = 0;
    const auto make_turns = [&](DRI_Group group, int loops) {
        const Dist rows = make_dist(gdo, make_blocks(2, 0), group),
                   columns = make_dist(gdo, make_blocks(2, 1), group);
        expect_no_growth(loops, [&] {
            const std::string name = "turn " + std::to_string(turn++);
            const Xfer source = make_xfer(name, DRI_SOURCE, rows), sink = make_xfer(name, DRI_SINK, columns);
            commit(group);
            expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        });
    };
    if (world().size <= 2)
        make_turns(alone, 1000);
    make_turns(all, 200);
}

TEST(Quiet, ADestroyedEndpointReturnsItsMemoryAtOnce) {
    if (sanitized)
        GTEST_SKIP() << "a sanitizer's allocator keeps freed memory";
    constexpr int64_t megabytes = 24;
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo({megabytes << 20}, DRI_INT8), make_blocks(1, 0), alone);
    for (const DRI_Role leaves : {DRI_SINK, DRI_SOURCE}) {
        Xfer source = make_xfer("memory", DRI_SOURCE, dist), sink = make_xfer("memory", DRI_SINK, dist);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
        commit(alone);
        expect_success(DRI_do("memory", DRI_XFER_NULL), "DRI_do");
        const int64_t before = resident_kilobytes();
        expect_success((leaves == DRI_SINK ? sink : source).reset(), "DRI_xfer_destroy");
        // The buffer, and memory for messages: a source has that of a frame, a sink that of two chunks of 2 MB.
        // Nothing of the other endpoint is freed.
        const int64_t freed = before - resident_kilobytes();
        const int64_t own = megabytes + (leaves == DRI_SOURCE ? megabytes : 4);
        EXPECT_GT(freed, (own << 10) - 512);
        EXPECT_LT(freed, (own + 2) << 10);
    }
}

TEST(Quiet, FailedCallsLeaveNothing) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({40, 60}), make_blocks(2, 0), all);
    const Part part = make_part({{.kind = DRI_BLOCK, .max = 1}, {}});
    const Gdo gdo = make_gdo({40, 60});
    expect_no_growth(100, [&] {
        const Xfer source = make_xfer("alone", DRI_SOURCE, rows);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_UNMATCHED);
        DRI_Dist dist{};
        EXPECT_EQ(DRI_dist_create(gdo, part, all, &dist), DRI_ERR_CONSTRAINT);
        DRI_Gdo none{};
        EXPECT_EQ(DRI_gdo_create(-1, DRI_FLOAT, nullptr, &none), DRI_ERR_ARG);
    });
}

TEST(Quiet, TheUsersMessagesAreNotDisturbed) {
    const auto [rank, size] = world();
    // A receive from any process with any tag, on the user's communicator.
    int got = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({64, 64}), make_blocks(2, 0), all);
    const Dist columns = make_dist(make_gdo({64, 64}), make_blocks(2, 1), all);
    const Xfer source = make_xfer("apart", DRI_SOURCE, rows), sink = make_xfer("apart", DRI_SINK, columns);
    commit(all);
    for (int f = 0; f < 10; ++f)
        expect_success(DRI_do("apart", DRI_XFER_NULL), "DRI_do");
    int done = 1;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    EXPECT_EQ(done, 0) << "the user has received a message of the library";
    MPI_Barrier(MPI_COMM_WORLD); // no messages, which the receive would take
    const int token = 4711 + rank;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 4711 + (rank + size - 1) % size);
}

TEST(Quiet, AnEndpointInUseByAnotherThreadIsRefused) {
    const auto [rank, size] = world();
    int level = 0;
    MPI_Query_thread(&level);
    if (size < 2 || level < MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "needs two processes, and an MPI that allows calls of several threads";
    const Group all = make_world();
    const Gdo gdo = make_gdo({8}, DRI_INT32);
    const Dist first = rank == 0 ? make_dist(gdo, make_blocks(1, 0), make_group({0})) : Dist();
    const Dist second = rank == 1 ? make_dist(gdo, make_blocks(1, 0), make_group({1})) : Dist();
    Xfer endpoint;
    if (rank == 0)
        endpoint = make_xfer("threads", DRI_SOURCE, first);
    if (rank == 1)
        endpoint = make_xfer("threads", DRI_SINK, second);
    commit(all);
    char go = 0;
    if (rank == 0) {
        MPI_Recv(&go, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_success(DRI_do("threads", DRI_XFER_NULL), "DRI_do");
    }
    if (rank == 1) {
        // One thread enters the frame and waits there. The other one is refused, and only then lets the source
        // send.
        std::array<int, 2> codes{-1, -1};
        const auto execute = [&](size_t i) {
            codes[i] = DRI_do("threads", DRI_XFER_NULL);
            if (codes[i] == DRI_SUCCESS)
                return;
            DRI_Xfer copy = endpoint;
            EXPECT_EQ(DRI_xfer_destroy(&copy), DRI_ERR_STATE);
            EXPECT_NE(copy.id, 0u);
            MPI_Send(&go, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        };
        std::thread other(execute, 0);
        execute(1);
        other.join();
        EXPECT_EQ(std::min(codes[0], codes[1]), DRI_SUCCESS);
        EXPECT_EQ(std::max(codes[0], codes[1]), DRI_ERR_STATE);
    }
    barrier();
}

} // namespace
} // namespace dri::test
