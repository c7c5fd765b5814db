// Endpoints that are destroyed while others continue. The others are informed, and no process waits for them.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <chrono>
#include <optional>
#include <thread>

namespace dri::test {
namespace {

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

std::string message() { return DRI_error_message(); }

void expect_in(const std::string &word) {
    EXPECT_NE(message().find(word), std::string::npos) << word << " is not in: " << message();
}

// Executes frames until one fails. The notices of the sinks may arrive a little later.
int frames_until_failure(const char *name, DRI_Xfer xfer) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    int code = DRI_SUCCESS;
    while (code == DRI_SUCCESS && std::chrono::steady_clock::now() < until)
        code = DRI_do(name, xfer);
    return code;
}

int32_t value(int64_t at, int64_t frame) { return static_cast<int32_t>(at * 7 + frame * 1000003); }

// One process is the source of `count` elements, another one the sink.
struct Pair {
    const char *name;
    int from, to;
    int64_t count;
    Xfer source, sink;

    Pair(const char *n, int source_rank, int sink_rank, int64_t numbers, int nbuffs)
        : name(n), from(source_rank), to(sink_rank), count(numbers) {
        const auto end = [&](int rank, DRI_Role role) {
            if (world().rank != rank)
                return Xfer();
            const Dist dist = make_dist(make_gdo({count}, DRI_INT32), make_blocks(1, 0), make_group({rank}));
            return make_xfer(name, role, dist, DRI_ROW_MAJOR, nbuffs);
        };
        source = end(from, DRI_SOURCE);
        sink = end(to, DRI_SINK);
    }
    void hand_over(int64_t frame) const {
        auto *buffer = buffer_of<int32_t>(source);
        for (int64_t i = 0; i < count; ++i)
            buffer[i] = value(i, frame);
        expect_success(DRI_do(name, source), "DRI_do");
    }
    void take(int64_t frame) const {
        expect_success(DRI_do(name, sink), "DRI_do");
        const auto *buffer = buffer_of<int32_t>(sink);
        int64_t wrong = 0;
        for (int64_t i = 0; i < count; ++i)
            wrong += buffer[i] != value(i, frame);
        EXPECT_EQ(wrong, 0) << "in frame " << frame;
    }
    void expect_no_source_after(int64_t frames) const {
        EXPECT_EQ(DRI_do(name, sink), DRI_ERR_STATE);
        expect_in(name);
        expect_in("sink of process " + std::to_string(to));
        expect_in("source of process " + std::to_string(from) + " is destroyed after " + std::to_string(frames));
    }
    void expect_no_sink() const {
        EXPECT_EQ(frames_until_failure(name, source), DRI_ERR_STATE);
        expect_in(name);
        expect_in("source of process " + std::to_string(from));
        expect_in("destroyed, that of process " + std::to_string(to));
    }
};

// Short messages are sent ahead of their receiver, long ones wait for it.
constexpr int64_t lengths[] = {5, 300000};

TEST(Leaving, FramesHandedOverBeforeTheSourceLeftStillArrive) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    for (const int64_t length : lengths) {
        Pair pair("early", 0, size - 1, length, 3);
        commit(all);
        if (rank == pair.from) {
            for (int64_t frame = 0; frame < 2; ++frame)
                pair.hand_over(frame);
            EXPECT_EQ(pair.source.reset(), DRI_SUCCESS);
        }
        barrier();
        if (rank == pair.to) {
            for (int64_t frame = 0; frame < 2; ++frame)
                pair.take(frame);
            pair.expect_no_source_after(2);
            EXPECT_EQ(DRI_do("early", DRI_XFER_NULL), DRI_ERR_STATE);
            EXPECT_EQ(pair.sink.reset(), DRI_SUCCESS);
        }
    }
}

TEST(Leaving, ASinkThatWaitsLearnsThatItsSourceLeft) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    for (const int64_t length : lengths) {
        Pair pair("waiting", size - 1, 0, length, 1);
        commit(all);
        if (rank == pair.from) {
            pair.hand_over(0);
            sleep_a_little();
            EXPECT_EQ(pair.source.reset(), DRI_SUCCESS);
        }
        if (rank == pair.to) {
            pair.take(0);
            pair.expect_no_source_after(1);
            EXPECT_EQ(DRI_do("waiting", pair.sink), DRI_ERR_STATE);
            EXPECT_EQ(pair.sink.reset(), DRI_SUCCESS);
        }
    }
}

TEST(Leaving, ASourceThatWaitsLearnsThatItsSinkLeft) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    for (const int64_t length : lengths) {
        Pair pair("untaken", 0, 1, length, 1);
        commit(all);
        if (rank == pair.to) {
            sleep_a_little();
            EXPECT_EQ(pair.sink.reset(), DRI_SUCCESS);
        }
        if (rank == pair.from) {
            pair.expect_no_sink();
            expect_in("after 0 frames");
            EXPECT_EQ(pair.source.reset(), DRI_SUCCESS);
        }
        barrier();
        // The name may be used again, and frames that were never received do not reach the new sink.
        Pair again("untaken", 0, 1, length, 1);
        commit(all);
        if (rank == again.from)
            again.hand_over(7);
        if (rank == again.to)
            again.take(7);
    }
}

// Every process is source and sink, and has a second sink. The last process leaves that one.
TEST(Leaving, TheOtherSinksContinue) {
    const int rank = world().rank, size = world().size;
    const Group all = make_world();
    for (const int64_t n : {int64_t{12}, int64_t{240}}) {
        const Gdo gdo = make_gdo({n, n}, DRI_INT32);
        const Dist rows = make_dist(gdo, make_blocks(2, 0), all), columns = make_dist(gdo, make_blocks(2, 1), all);
        const Dist cyclic = make_dist(gdo, make_part({{}, {.kind = DRI_BLOCK_CYCLIC, .block = 2}}), all);
        Xfer source = make_xfer("herd", DRI_SOURCE, rows), first = make_xfer("herd", DRI_SINK, columns),
             second = make_xfer("herd", DRI_SINK, cyclic);
        commit(all);
        // The elements of this process's part, in the order of memory.
        const auto elements_of = [&](DRI_Dist dist) {
            int64_t at[2], extents[2];
            expect_success(DRI_dist_get_extents(dist, rank, extents), "DRI_dist_get_extents");
            std::vector<int64_t> elements;
            for (int64_t i = 0; i < extents[0] * extents[1]; ++i) {
                const int64_t local[]{i / extents[1], i % extents[1]};
                expect_success(DRI_dist_global_index(dist, rank, local, at), "DRI_dist_global_index");
                elements.push_back(at[0] * n + at[1]);
            }
            return elements;
        };
        const auto in_rows = elements_of(rows), in_columns = elements_of(columns), dealt = elements_of(cyclic);
        const auto frame = [&](int64_t f) {
            auto *out = buffer_of<int32_t>(source);
            for (const int64_t element : in_rows)
                *out++ = value(element, f);
            ASSERT_EQ(DRI_do("herd", DRI_XFER_NULL), DRI_SUCCESS) << message();
            int64_t wrong = 0;
            for (const auto &[xfer, elements] : {std::pair(&first, &in_columns), std::pair(&second, &dealt)}) {
                if (!*xfer)
                    continue;
                const auto *in = buffer_of<int32_t>(*xfer);
                for (const int64_t element : *elements)
                    wrong += *in++ != value(element, f);
            }
            EXPECT_EQ(wrong, 0) << "in frame " << f;
        };
        frame(0);
        if (rank == size - 1) {
            EXPECT_EQ(second.reset(), DRI_SUCCESS);
        }
        for (int64_t f = 1; f < 5; ++f)
            frame(f);
        EXPECT_EQ(second.reset(), DRI_SUCCESS);
        for (int64_t f = 5; f < 8; ++f)
            frame(f);
        EXPECT_EQ(first.reset(), DRI_SUCCESS);
        EXPECT_EQ(frames_until_failure("herd", source), DRI_ERR_STATE);
        expect_in("'herd'");
        expect_in("source of process " + std::to_string(rank));
    }
}

// Inside one process, by copies and by messages to itself.
TEST(Leaving, BothEndpointsOfOneProcess) {
    const int rank = world().rank;
    const Group alone = make_group({rank});
    for (const int ways : {DRI_WAY_SELF | DRI_WAY_MESSAGE, int{DRI_WAY_MESSAGE}})
        for (const bool source_leaves : {true, false}) {
            Pair pair("own", rank, rank, 10, 2);
            expect_success(DRI_xfer_set_attr(pair.source, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
            commit(alone);
            pair.hand_over(0);
            EXPECT_EQ(DRI_xfer_destroy(pair.source.out()), DRI_ERR_STATE) << "a frame would be lost";
            pair.take(0);
            if (source_leaves) {
                EXPECT_EQ(pair.source.reset(), DRI_SUCCESS);
                pair.expect_no_source_after(1);
            } else {
                EXPECT_EQ(pair.sink.reset(), DRI_SUCCESS);
                pair.expect_no_sink();
                expect_in("after 1 frames");
            }
        }
}

// A process that neither sends nor receives data does not miss any other process.
TEST(Leaving, AnEndpointWithoutDataContinues) {
    const int size = world().size;
    const Group all = make_world();
    const Gdo gdo = make_gdo({1}, DRI_INT32);
    const Dist dist = make_dist(gdo, make_blocks(1, 0), all);
    Xfer source = make_xfer("little", DRI_SOURCE, dist), sink = make_xfer("little", DRI_SINK, dist);
    commit(all);
    const bool has_data = buffer_of<int32_t>(source) && world().rank == 0;
    EXPECT_EQ(sink.reset(), DRI_SUCCESS);
    barrier();
    EXPECT_EQ(DRI_do("little", source), has_data ? DRI_ERR_STATE : DRI_SUCCESS) << size;
}

} // namespace
} // namespace dri::test
