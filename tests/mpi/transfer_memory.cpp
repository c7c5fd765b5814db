// Memory of DRI_alloc: many transfers with buffers in it, by all ways.
#include "support/case_part.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <atomic>
#include <cstring>
#include <thread>

namespace dri::test {
namespace {

// Memory of the library that is freed at the end.
class Taken {
public:
    explicit Taken(size_t bytes, size_t alignment = 0) {
        expect_success(DRI_alloc(bytes, alignment, &memory_), "DRI_alloc");
    }
    ~Taken() { expect_success(DRI_free(memory_), "DRI_free"); }
    Taken(const Taken &) = delete;
    Taken &operator=(const Taken &) = delete;
    std::byte *at(size_t offset) const { return static_cast<std::byte *>(memory_) + offset; }
    void *get() const { return memory_; }

private:
    void *memory_ = nullptr;
};

int64_t direct_bytes(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info.bytes_direct;
}

// One side of a transfer whose buffers are in memory that it shares with others.
struct Side {
    CasePart part;
    CaseEndpoint endpoint;
    size_t first, step;

    Side(const std::string &name, const TransferCase &c, DRI_Role role, const Taken &memory, size_t at,
         size_t bytes, size_t count)
        : part(c, role), first(at), step(bytes) {
        if (!part)
            return;
        std::vector<void *> buffers;
        for (size_t i = 0; i < count; ++i)
            buffers.push_back(memory.at(first + i * step));
        endpoint = part.declare(name, buffers.data());
    }
};

constexpr size_t part_bytes = 8000; // enough for each part below

struct WaysCase {
    int64_t ways;
    const char *line;
};

// Three transfers of one memory: two sources and a sink use the same bytes in turn. Small and long runs; the
// messages and the direct way; streams of several frames.
TEST(Memory, BuffersOfManyTransfersLieInIt) {
    const Taken from(40 * part_bytes, 4096), to(40 * part_bytes + 7);
    for (const auto &[ways, line] :
         {WaysCase{7, "int32 [40,30] block,* rm -> *,block cm buffers=3,2"},
          WaysCase{3, "int32 [40,30] block,* rm -> *,block cm buffers=3,2"},
          WaysCase{2, "int32 [40,30] block,* rm -> *,block cm buffers=1"},
          WaysCase{7, "complex-float [40,20] *,block cm/split -> block,* rm/p8 buffers=2"},
          WaysCase{6, "int16 [60,50] block,* rm -> cyclic(0,2),* rm buffers=1,2"}}) {
        SCOPED_TRACE(fmt::format("{} by {}", line, ways));
        const TransferCase c = case_of(line);
        const auto sources = static_cast<size_t>(c.source.buffers), sinks = static_cast<size_t>(c.sink.buffers);
        // Both sources have the same buffers, at an address that is aligned as an element alone.
        const Side one("one", c, DRI_SOURCE, from, 8, part_bytes, sources),
            two("two", c, DRI_SOURCE, from, 8, part_bytes, sources);
        const Side first("one", c, DRI_SINK, to, 8, part_bytes, sinks),
            second("two", c, DRI_SINK, to, 8 + sinks * part_bytes, part_bytes, sinks);
        for (const Side *side : {&one, &two, &first, &second})
            if (side->part)
                expect_success(DRI_xfer_set_attr(side->endpoint.xfer, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        commit(make_world());
        for (int64_t frame = 0; frame < 6; ++frame)
            for (const auto &[name, source, sink] : {std::tuple("one", &one, &first), {"two", &two, &second}}) {
                if (source->part)
                    source->part.fill(buffer_of<void>(source->endpoint.xfer), frame);
                if (source->part || sink->part)
                    expect_success(DRI_do(name, DRI_XFER_NULL), "DRI_do");
                if (!sink->part)
                    continue;
                const void *const buffer = buffer_of<void>(sink->endpoint.xfer);
                EXPECT_EQ(buffer, to.at(sink->first + static_cast<size_t>(frame) % sinks * sink->step));
                EXPECT_EQ(sink->part.wrong(buffer, frame), 0) << name << frame;
            }
        if (first.part && (ways & DRI_WAY_DIRECT) != 0 && world().size > 1) {
            EXPECT_GT(direct_bytes(first.endpoint.xfer), 0) << "the tests run on one node";
        }
        // Such buffers need no memory beside them, as the library's own do not.
        DRI_Xfer_info info{};
        if (one.part && ways == 7) {
            expect_success(DRI_xfer_get_info(one.endpoint.xfer, &info), "DRI_xfer_get_info");
            EXPECT_EQ(info.workspace_bytes, 0);
        }
        EXPECT_NE(sum_of(1), 0); // nobody frees what another process still reads
    }
}

// A stream whose source runs ahead of its sinks, in memory of the library and of the program alternately.
TEST(Memory, StreamsRunAheadInIt) {
    const Taken memory(8 * part_bytes);
    std::vector<std::byte> own(2 * part_bytes);
    const TransferCase c = case_of("int32 [40,30] block,* rm -> *,block cm buffers=4,2");
    const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
    void *const buffers[]{memory.at(0), own.data(), memory.at(part_bytes), nullptr};
    const CaseEndpoint source = from.declare("mixed", buffers), sink = to.declare("mixed");
    commit(make_world());
    for (int64_t frame = 0; frame < 4; ++frame) {
        from.fill(buffer_of<void>(source.xfer), frame);
        expect_success(DRI_insert(source.xfer, nullptr), "DRI_insert");
        if (frame < 3)
            expect_success(DRI_acquire(source.xfer, nullptr), "DRI_acquire");
    }
    for (int64_t frame = 0; frame < 4; ++frame) {
        void *buffer = nullptr;
        expect_success(DRI_extract(sink.xfer, &buffer, nullptr), "DRI_extract");
        EXPECT_EQ(to.wrong(buffer, frame), 0) << frame;
        expect_success(DRI_release(sink.xfer), "DRI_release");
    }
    EXPECT_NE(sum_of(1), 0);
}

// In place, and memory that one endpoint leaves while another one stays in it.
TEST(Memory, ServesTransfersInPlace) {
    const Taken memory(2 * part_bytes);
    const TransferCase c = case_of("int32 [40,40] block,* rm -> *,block cm");
    const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
    void *const buffers[]{memory.at(64)};
    CaseEndpoint source = from.declare("placed", buffers), sink = to.declare("placed", buffers);
    for (const DRI_Xfer x : {source.xfer.get(), sink.xfer.get()})
        expect_success(DRI_xfer_set_attr(x, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
    commit(make_world());
    from.fill(buffers[0], 0);
    expect_success(DRI_do("placed", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(to.wrong(buffers[0], 0), 0);
    EXPECT_EQ(source.xfer.reset(), DRI_SUCCESS);
    EXPECT_EQ(DRI_free(memory.get()), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("sink of transfer 'placed'"), std::string::npos)
        << DRI_error_message();
}

TEST(Memory, IsAlignedAsPromised) {
    const auto past = [](const void *address, uintptr_t alignment) {
        return reinterpret_cast<uintptr_t>(address) % alignment;
    };
    for (const size_t alignment : {0, 1, 2, 64, 128, 4096, 1 << 21, 1 << 23})
        for (const size_t bytes : {size_t{0}, size_t{5}, size_t{70000}, size_t{3} << 20}) {
            const Taken memory(bytes, alignment);
            EXPECT_EQ(past(memory.get(), std::max<size_t>(alignment, 64)), 0u);
            if (bytes > 0) {
                EXPECT_EQ(*memory.at(0), std::byte{0});
                std::memset(memory.get(), 1, std::min<size_t>(bytes, 5000));
            }
        }
    // Buffers of endpoints, also those of strips and in place.
    for (const char *line :
         {"int8 [13,5] block,* rm -> *,block cm buffers=3", "int8 [] - rm over 0 -> - rm over 0"}) {
        const TransferCase c = case_of(line);
        const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
        CaseEndpoint source, sink;
        if (from)
            source = from.declare("aligned");
        if (to)
            sink = to.declare("aligned");
        commit(make_world());
        for (const DRI_Xfer x : {source.xfer.get(), sink.xfer.get()}) {
            if (x.id == 0)
                continue;
            int n = 0;
            void *buffers[3];
            expect_success(DRI_xfer_get_buffers(x, &n, buffers), "DRI_xfer_get_buffers");
            for (int i = 0; i < n; ++i)
                EXPECT_EQ(past(buffers[i], 64), 0u);
        }
    }
}

// Buffers that the program keeps have their last contents when the endpoints are gone, and new endpoints have
// others.
TEST(Kept, BuffersOutliveTheirEndpoints) {
    for (const int64_t ways : {7, 2})
        for (const int64_t in_place : {0, 1}) {
            SCOPED_TRACE(fmt::format("ways {}, in place {}", ways, in_place));
            const TransferCase c = case_of("int32 [40,40] block,* rm -> *,block cm buffers=2");
            const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
            std::vector<std::pair<DRI_Kept *, void *>>
                all; // of each round: what holds the sink's buffer, and its address
            for (int64_t round = 0; round < 3; ++round) {
                CaseEndpoint source = from.declare("kept"), sink = to.declare("kept");
                for (const DRI_Xfer x : {source.xfer.get(), sink.xfer.get()}) {
                    expect_success(DRI_xfer_set_attr(x, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
                    expect_success(DRI_xfer_set_attr(x, DRI_ATTR_IN_PLACE, in_place), "DRI_xfer_set_attr");
                }
                commit(make_world());
                auto *const first = buffer_of<std::byte>(source.xfer);
                from.fill(first, round);
                expect_success(DRI_do("kept", DRI_XFER_NULL), "DRI_do");
                DRI_Kept *of_source = nullptr, *of_sink = nullptr;
                expect_success(DRI_xfer_keep_buffers(source.xfer, &of_source), "DRI_xfer_keep_buffers");
                expect_success(DRI_xfer_keep_buffers(sink.xfer, &of_sink), "DRI_xfer_keep_buffers");
                all.emplace_back(of_sink, buffer_of<void>(sink.xfer));
                EXPECT_EQ(source.xfer.reset(), DRI_SUCCESS);
                EXPECT_EQ(sink.xfer.reset(), DRI_SUCCESS);
                if (!in_place)
                    from.fill(first, 99); // no process reads it any more: the source has waited
                std::thread([&] { EXPECT_EQ(DRI_kept_free(of_source), DRI_SUCCESS); }).join();
            }
            for (int64_t round = 0; round < 3; ++round) {
                const auto &[kept, buffer] = all[static_cast<size_t>(round)];
                EXPECT_EQ(to.wrong(buffer, round), 0) << round;
                EXPECT_EQ(DRI_kept_free(kept), DRI_SUCCESS);
            }
        }
}

// The stores of strips, and endpoints of which nothing is to be kept.
TEST(Kept, StoresAndTheUsersBuffers) {
    const Group mine = make_group({world().rank});
    const Gdo whole = make_gdo({6, 4}, DRI_INT32);
    const int64_t at[]{0, 0}, sizes[]{2, 4};
    Gdo first;
    expect_success(DRI_gdo_subset(whole, at, sizes, first.out()), "DRI_gdo_subset");
    const Part part = make_part({{}, {}});
    const Dist strip = make_dist(first, part, mine), all = make_dist(whole, part, mine);
    std::vector<int32_t> own(24);
    for (int32_t i = 0; i < 24; ++i)
        own[static_cast<size_t>(i)] = i;
    void *const buffers[]{own.data()};
    Xfer source, sink;
    expect_success(DRI_xfer_create("stored", DRI_SOURCE, all, DRI_ROW_MAJOR, 1, buffers, source.out()),
                   "DRI_xfer_create");
    expect_success(
        DRI_xfer_create_strips("stored", DRI_SINK, whole, 0, strip, DRI_ROW_MAJOR, 1, nullptr, sink.out()),
        "DRI_xfer_create_strips");
    commit(mine);
    expect_success(DRI_insert(source, nullptr), "DRI_insert");
    DRI_Kept *nothing = nullptr, *store = nullptr;
    expect_success(DRI_xfer_keep_buffers(source, &nothing), "DRI_xfer_keep_buffers");
    expect_success(DRI_xfer_keep_buffers(sink, &store), "DRI_xfer_keep_buffers");
    const int32_t *strips[3];
    for (const int32_t *&one : strips) {
        void *buffer = nullptr;
        expect_success(DRI_extract(sink, &buffer, nullptr), "DRI_extract");
        one = static_cast<const int32_t *>(buffer);
    }
    EXPECT_EQ(sink.reset(), DRI_SUCCESS);
    EXPECT_EQ(source.reset(), DRI_SUCCESS);
    for (int32_t i = 0; i < 24; ++i)
        EXPECT_EQ(strips[i / 8][i % 8], i);
    EXPECT_EQ(DRI_kept_free(nothing), DRI_SUCCESS);
    EXPECT_EQ(DRI_kept_free(store), DRI_SUCCESS);
}

// Threads take and free at once, and each finds what it wrote.
TEST(Memory, SeveralThreadsTakeIt) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                void *memory = nullptr;
                wrong += DRI_alloc(1000, 0, &memory) != DRI_SUCCESS;
                std::memset(memory, t + 1, 1000);
                wrong += static_cast<char *>(memory)[999] != t + 1;
                wrong += DRI_free(memory) != DRI_SUCCESS;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace dri::test
