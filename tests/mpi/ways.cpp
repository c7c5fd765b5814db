// Which way (transport path) bytes travel and how ways are switched off. Results do not change, only the counters.
#include "support/case_part.hpp"
#include "support/mpi_counter.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/shortage.hpp"
#include "support/world.hpp"

#include <dri/dri_mpi.h>

#include <cstdlib>
#include <numeric>
#include <optional>

namespace dri::test {
namespace {

constexpr int64_t n = 40;

// The library runs while this object exists, with this value of DRI_WAYS. The value may differ between processes.
class Running {
public:
    explicit Running(const char *ways = nullptr) {
        if (ways)
            setenv("DRI_WAYS", ways, 1);
        else
            unsetenv("DRI_WAYS");
        code_ = DRI_init_comm(MPI_COMM_WORLD);
    }
    ~Running() {
        if (code_ == DRI_SUCCESS)
            expect_success(DRI_finalize(), "DRI_finalize");
        unsetenv("DRI_WAYS");
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    int code() const { return code_; }

private:
    int code_;
};

// From rows to columns over all processes.
struct CornerTurn {
    CasePart from{turn(), DRI_SOURCE}, to{turn(), DRI_SINK};
    Dist rows = std::move(from.make().dist), columns = std::move(to.make().dist);
    Xfer source, sink;

    explicit CornerTurn(int nbuffs = 1, void *const *buffers = nullptr, const char *name = "turn") {
        expect_success(DRI_xfer_create(name, DRI_SOURCE, rows, DRI_ROW_MAJOR, nbuffs, buffers, source.out()),
                       "DRI_xfer_create");
        sink = make_xfer(name, DRI_SINK, columns, DRI_COL_MAJOR);
    }
    static TransferCase turn() { return case_of(fmt::format("int32 [{0},{0}] block,* rm -> *,block cm", n)); }
    DRI_Xfer_info info(DRI_Xfer endpoint) const {
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
        return info;
    }
    void expect_frame(int frame) const {
        from.fill(buffer_of<void>(source), frame);
        expect_success(DRI_do("turn", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(to.wrong(buffer_of<void>(sink), frame), 0) << "in frame " << frame;
    }
};

// Bytes that arrive from other processes in each frame.
int64_t bytes_of_others(const CornerTurn &turn) {
    return turn.to.elements() / n * (n - turn.from.elements() / n) * 4;
}

TEST(Ways, ProcessesOfANodePull) {
    const Running library;
    CornerTurn turn;
    commit(make_world());
    for (int f = 0; f < 3; ++f)
        turn.expect_frame(f);
    const auto [rank, size] = world();
    for (DRI_Xfer endpoint : {turn.source.get(), turn.sink.get()}) {
        const DRI_Xfer_info info = turn.info(endpoint);
        EXPECT_EQ(info.bytes_message, 0);
        EXPECT_EQ(info.messages, 0);
        EXPECT_EQ(info.peers, size - 1);
        EXPECT_EQ(info.workspace_bytes, 0) << "nothing is packed";
    }
    EXPECT_EQ(turn.info(turn.sink).bytes_direct, 3 * bytes_of_others(turn));
    if (size > 1) {
        const std::string peer = std::to_string((rank + 1) % size);
        EXPECT_NE(explain(turn.source).find("direct to " + peer), std::string::npos) << explain(turn.source);
        EXPECT_NE(explain(turn.sink).find("direct from " + peer), std::string::npos) << explain(turn.sink);
    }
}

TEST(Ways, DirectFramesSendNothing) {
    const Running library;
    CornerTurn turn;
    commit(make_world());
    turn.expect_frame(0);
    barrier();
    const long before = all_traffic();
    int failed = 0;
    for (int f = 0; f < 50; ++f)
        failed += DRI_do("turn", DRI_XFER_NULL) != DRI_SUCCESS;
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(all_traffic(), before);
    barrier();
}

void expect_messages(const CornerTurn &turn) {
    turn.expect_frame(0);
    const DRI_Xfer_info info = turn.info(turn.sink);
    EXPECT_EQ(info.bytes_direct, 0);
    EXPECT_EQ(info.bytes_message, bytes_of_others(turn));
    EXPECT_EQ(explain(turn.sink).find("direct"), std::string::npos) << explain(turn.sink);
}

// The attribute on one endpoint of one process is enough.
TEST(Ways, AnAttributeForbidsTheDirectWay) {
    const Running library;
    const int last = world().size - 1;
    for (const bool of_source : {true, false}) {
        CornerTurn turn;
        if (world().rank == last)
            expect_success(DRI_xfer_set_attr(of_source ? turn.source : turn.sink, DRI_ATTR_WAYS,
                                             DRI_WAY_SELF | DRI_WAY_MESSAGE),
                           "DRI_xfer_set_attr");
        commit(make_world());
        expect_messages(turn);
    }
}

TEST(Ways, TheEnvironmentOfOneProcessForbidsTheDirectWay) {
    const auto [rank, size] = world();
    const Running library(rank == size - 1 ? "self,message" : "message,direct,self");
    ASSERT_EQ(library.code(), DRI_SUCCESS) << DRI_error_message();
    CornerTurn turn;
    // An attribute does not allow what the environment forbids.
    expect_success(DRI_xfer_set_attr(turn.source, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT),
                   "DRI_xfer_set_attr");
    commit(make_world());
    expect_messages(turn);
}

TEST(Ways, TheEnvironmentForbidsTheSelfWay) {
    const Running library("direct,message");
    CornerTurn turn;
    commit(make_world());
    turn.expect_frame(0);
    EXPECT_EQ(turn.info(turn.sink).bytes_self, 0);
    EXPECT_EQ(turn.info(turn.sink).bytes_direct, bytes_of_others(turn));
    EXPECT_EQ(turn.info(turn.sink).bytes_message, turn.to.elements() * 4 - bytes_of_others(turn));
}

TEST(Ways, WrongSettingsAreRefusedByAll) {
    for (const char *wrong : {"self", "direct,self", "message,fly", "Message", "message direct", ",message"}) {
        const Running library(world().rank == 0 ? wrong : nullptr);
        EXPECT_EQ(library.code(), DRI_ERR_ARG) << wrong;
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("DRI_WAYS"), std::string::npos) << message;
        EXPECT_NE(message.find(wrong), std::string::npos) << message;
        if (world().rank != 0) { // process 0 does not name itself
            EXPECT_NE(message.find("process 0"), std::string::npos) << message;
        }
    }
}

// If others would read short pieces, the user's buffers are copied into shared memory. The sink sees no
// difference.
TEST(Ways, TheUsersSmallBuffersAreCopied) {
    const Running library;
    std::vector<std::vector<int32_t>> memory(2, std::vector<int32_t>(n * n));
    void *const all_theirs[]{memory[0].data(), memory[1].data()}, *const half_theirs[]{memory[0].data(), nullptr};
    for (const auto &[buffers, theirs] : {std::pair(all_theirs, 2), std::pair(half_theirs, 1)}) {
        CornerTurn turn(2, buffers);
        commit(make_world());
        EXPECT_EQ(buffer_of<int32_t>(turn.source), memory[0].data());
        for (int f = 0; f < 5; ++f)
            turn.expect_frame(f);
        const DRI_Xfer_info info = turn.info(turn.source);
        EXPECT_EQ(info.workspace_bytes, world().size > 1 ? theirs * info.buffer_bytes : 0);
        EXPECT_EQ(info.messages, 0);
    }
}

// Long rows become columns, read directly from the user's memory.
TEST(Ways, TheUsersLargeBuffersAreReadDirectly) {
    const Running library;
    const int size = world().size;
    constexpr int64_t rows = 63, columns = 7 * 1024;
    std::vector<std::vector<int64_t>> memory(3, std::vector<int64_t>(rows * columns));
    for (const auto &[layout, threads] : {std::pair(DRI_COL_MAJOR, 1), std::pair(DRI_ROW_MAJOR, 1),
                                          std::pair(DRI_COL_MAJOR, 2), std::pair(DRI_ROW_MAJOR, 3)}) {
        const TransferCase c = case_of(fmt::format("int64 [{},{}] block,* rm -> *,block {} direct buffers=3,1",
                                                   rows, columns, layout.id == DRI_COL_MAJOR.id ? "cm" : "rm"));
        const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
        // Buffers of the user and of the library alternate.
        void *const buffers[]{memory[0].data(), nullptr, memory[2].data()};
        const CaseEndpoint from_here = from.declare("large", buffers), to_here = to.declare("large");
        const DRI_Xfer source = from_here.xfer, sink = to_here.xfer;
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
        commit(make_world());
        for (int64_t f = 0; f < 7; ++f) {
            from.fill(buffer_of<void>(source), f);
            expect_success(DRI_do("large", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(to.wrong(buffer_of<void>(sink), f), 0) << "in frame " << f;
        }
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(source, &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.workspace_bytes, 0) << "nothing is copied";
        EXPECT_EQ(info.messages, 0);
        EXPECT_EQ(info.peers, size - 1);
        expect_success(DRI_xfer_get_info(sink, &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.workspace_bytes > 0, size > 1 && layout.id == DRI_COL_MAJOR.id)
            << "tiles are transposed in scratch memory, rows are copied directly";
    }
}

// The user's buffer becomes free only when all readers have read it.
TEST(Ways, ASourceInTheUsersMemoryWaitsForItsReaders) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    setenv("DRI_SETUP_TIMEOUT", "1", 1);
    {
        const Running library;
        constexpr int64_t count = 100000;
        std::vector<int64_t> memory(2 * count);
        void *buffers[]{memory.data(), memory.data() + count};
        const Gdo gdo = make_gdo({count}, DRI_INT64);
        const Part part = make_blocks(1, 0);
        Xfer source, sink;
        if (rank == 0)
            expect_success(DRI_xfer_create("patient", DRI_SOURCE, make_dist(gdo, part, make_group({0})),
                                           DRI_ROW_MAJOR, 2, buffers, source.out()),
                           "DRI_xfer_create");
        if (rank == 1)
            sink = make_xfer("patient", DRI_SINK, make_dist(gdo, part, make_group({1})));
        commit(make_world());
        if (rank == 0) {
            std::iota(buffer_of<int64_t>(source), buffer_of<int64_t>(source) + count, 5);
            expect_success(DRI_do("patient", source), "DRI_do");
            EXPECT_EQ(DRI_xfer_destroy(source.out()), DRI_ERR_TIMEOUT);
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("process 1 has not taken all 1"), std::string::npos) << message;
        }
        barrier();
        if (rank == 0) {
            expect_success(source.reset(), "DRI_xfer_destroy");
            std::fill(memory.begin(), memory.end(), -1);
        }
        if (rank == 1) {
            expect_success(DRI_do("patient", sink), "DRI_do");
            int64_t wrong = 0;
            for (int64_t i = 0; i < count; ++i)
                wrong += buffer_of<int64_t>(sink)[i] != i + 5;
            EXPECT_EQ(wrong, 0);
        }
        barrier();
    }
    unsetenv("DRI_SETUP_TIMEOUT");
}

// Each process's rows are sent to the next process, so none stay. By handle the source calls first.
TEST(Ways, ASourceMayNotRunAheadOfItsProcesssSink) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    const Running library;
    const Group all = make_world();
    std::vector<int> others(static_cast<size_t>(size));
    std::iota(others.begin(), others.end(), 1);
    others.back() = 0;
    for (const int ways : {DRI_WAY_MESSAGE | DRI_WAY_DIRECT, int{DRI_WAY_MESSAGE}})
        for (const int nbuffs : {1, 2}) {
            const Gdo gdo = make_gdo({size * 1000}, DRI_INT32);
            const Dist from = make_dist(gdo, make_blocks(1, 0), all),
                       to = make_dist(gdo, make_blocks(1, 0), make_group(others));
            const Xfer source = make_xfer("ring", DRI_SOURCE, from, DRI_ROW_MAJOR, nbuffs),
                       sink = make_xfer("ring", DRI_SINK, to);
            expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
            commit(all);
            for (int f = 1; f < nbuffs; ++f)
                expect_success(DRI_do("ring", source), "DRI_do");
            EXPECT_EQ(DRI_do("ring", source), DRI_ERR_DEADLOCK);
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("'ring'"), std::string::npos) << message;
            const std::string advice = nbuffs == 1 ? "give the source another buffer" : "the sink first";
            EXPECT_NE(message.find("then DRI_wait), or " + advice), std::string::npos) << message;
            for (int f = 0; f < 3; ++f) {
                *buffer_of<int32_t>(source) = 10 * rank + f;
                expect_success(DRI_do("ring", DRI_XFER_NULL), "DRI_do");
                if (f >= nbuffs - 1) {
                    EXPECT_EQ(*buffer_of<int32_t>(sink), 10 * ((rank + size - 1) % size) + f - nbuffs + 1);
                }
            }
            barrier();
        }
}

// First the source lacks memory, then a process that pulls from it.
TEST(Ways, TooLittleSharedMemoryIsRefusedByAll) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    if (sanitized)
        GTEST_SKIP() << "the sanitizer needs more address space";
    const Running library;
    const Group all = make_world();
    const int64_t size = int64_t{1} << 26, wanted = 3, offset = size - wanted;
    const Gdo gdo = make_gdo({size}, DRI_INT8);
    const Part part = make_blocks(1, 0);
    Gdo last_elements;
    expect_success(DRI_gdo_subset(gdo, &offset, &wanted, last_elements.out()), "DRI_gdo_subset");
    Xfer endpoint;
    if (rank == 0)
        endpoint = make_xfer("large", DRI_SOURCE, make_dist(gdo, part, make_group({0})));
    if (rank == last)
        endpoint = make_xfer("large", DRI_SINK, make_dist(last_elements, part, make_group({last})));
    for (const auto &[who, what] :
         {std::pair(0, "buffers of the source"), std::pair(last, "source of process 0")}) {
        std::optional<LittleMemory> shortage;
        if (rank == who)
            shortage.emplace(size / 2);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_MEMORY);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("'large'"), std::string::npos) << message;
        EXPECT_NE(message.find(what), std::string::npos) << message;
    }
    commit(all);
    if (rank == 0)
        std::iota(buffer_of<int8_t>(endpoint) + offset, buffer_of<int8_t>(endpoint) + size, int8_t{7});
    if (endpoint)
        expect_success(DRI_do("large", DRI_XFER_NULL), "DRI_do");
    for (int8_t i = 0; rank == last && i < wanted; ++i)
        EXPECT_EQ(buffer_of<int8_t>(endpoint)[i], 7 + i);
}

// One source and a sink on every other process. The sinks call in any order.
TEST(Ways, SeveralSinksReadOneSource) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    const Running library;
    const Group all = make_world();
    const Gdo gdo = make_gdo({5000}, DRI_INT32);
    const Part part = make_blocks(1, 0);
    Xfer endpoint;
    if (rank == 0)
        endpoint = make_xfer("many", DRI_SOURCE, make_dist(gdo, part, make_group({0})), DRI_ROW_MAJOR, 2);
    else
        endpoint = make_xfer("many", DRI_SINK, make_dist(gdo, part, make_group({rank})));
    commit(all);
    int64_t wrong = 0;
    for (int f = 0; f < 20; ++f) {
        if (rank == 0)
            std::iota(buffer_of<int32_t>(endpoint), buffer_of<int32_t>(endpoint) + 5000, f);
        expect_success(DRI_do("many", DRI_XFER_NULL), "DRI_do");
        for (int i = 0; rank != 0 && i < 5000; ++i)
            wrong += buffer_of<int32_t>(endpoint)[i] != i + f;
    }
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace dri::test
