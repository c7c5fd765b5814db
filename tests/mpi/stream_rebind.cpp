// Endpoints whose buffer moves to other memory between frames: every byte of every frame, at ever new addresses.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/strip.hpp"

#include <cstring>
#include <memory>
#include <numeric>

namespace dri::test {
namespace {

// Memory of three kinds: the program's, which other processes read or which is copied, and two pieces of
// DRI_alloc. Around each part that is used lie bytes that must stay.
class Arena {
public:
    static constexpr size_t bytes = 1 << 16;

    Arena() : own_(bytes) {
        for (void *&piece : pieces_)
            expect_success(DRI_alloc(bytes, 0, &piece), "DRI_alloc");
        for (int kind = 0; kind < kinds; ++kind)
            std::memset(at(kind, 0), guard, bytes);
    }
    ~Arena() {
        for (void *piece : pieces_)
            expect_success(DRI_free(piece), "DRI_free");
    }
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    std::byte *at(int kind, size_t offset) {
        return (kind == 0 ? own_.data() : static_cast<std::byte *>(pieces_[kind - 1])) + offset;
    }
    // A random address for a part, aligned as its elements alone.
    std::byte *place(Dice &dice, size_t part_bytes, size_t alignment) {
        const auto slots = static_cast<int64_t>((bytes - part_bytes) / alignment);
        return at(static_cast<int>(dice.range(0, kinds - 1)),
                  alignment * static_cast<size_t>(dice.range(1, slots - 1)));
    }
    // The bytes just before and behind the part are as they were; it is then cleared.
    void check_around(std::byte *part, size_t part_bytes) {
        const bool kept = part[-1] == std::byte{guard} && part[part_bytes] == std::byte{guard};
        EXPECT_TRUE(kept) << "a frame has written outside of its buffer";
        std::memset(part, guard, part_bytes);
    }
    static constexpr int kinds = 3, guard = 0xA5;

private:
    std::vector<std::byte> own_;
    void *pieces_[kinds - 1] = {};
};

void rebind(DRI_Xfer xfer, void *buffer) { expect_success(DRI_xfer_rebind(xfer, buffer), "DRI_xfer_rebind"); }

// One side of a transfer, in an arena if its buffer moves.
struct MovingEnd {
    CasePart part;
    std::unique_ptr<Arena> arena; // outlives the endpoint
    CaseEndpoint endpoint;
    size_t bytes = 0, alignment = 1;
    bool moves = false;
    std::byte *now = nullptr; // its buffer in the arena

    MovingEnd(const std::string &name, const TransferCase &c, DRI_Role role, bool it_moves, bool provided)
        : part(c, role), moves(it_moves) {
        if (!part)
            return;
        if (moves)
            arena = std::make_unique<Arena>();
        const auto pitch = static_cast<size_t>(c.type.alignment);
        alignment = pitch;
        void *first[]{moves && !provided ? arena->at(0, alignment) : nullptr};
        now = static_cast<std::byte *>(first[0]);
        endpoint = part.declare(name, moves ? first : nullptr);
        if (moves)
            expect_success(DRI_xfer_set_attr(endpoint.xfer, DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_buffer_bytes(endpoint.xfer, &bytes), "DRI_xfer_buffer_bytes");
    }
    DRI_Xfer xfer() const { return endpoint.xfer; }
    void move(Dice &dice) {
        now = arena->place(dice, bytes, alignment);
        rebind(xfer(), now);
    }
};

const int frames_of_a_case = sanitized ? 60 : 420;

struct RebindCase {
    std::string line;
    int64_t ways;
    bool source, sink; // which side moves
    bool provided = false;
};

// A frame at a time by name: each at addresses of its own, on all processes.
int64_t run_by_name(const RebindCase &c, int frames, uint64_t seed) {
    SCOPED_TRACE(fmt::format("{} by {}, moves {} {}", c.line, c.ways, c.source, c.sink));
    const TransferCase transfer = case_of(c.line);
    MovingEnd source("moves", transfer, DRI_SOURCE, c.source, c.provided),
        sink("moves", transfer, DRI_SINK, c.sink, c.provided);
    for (const MovingEnd *end : {&source, &sink})
        if (end->part)
            expect_success(DRI_xfer_set_attr(end->xfer(), DRI_ATTR_WAYS, c.ways), "DRI_xfer_set_attr");
    commit(make_world());
    Dice dice(seed + static_cast<uint64_t>(world().rank)); // processes move apart
    int64_t addresses = 0, wrong = 0;
    for (int64_t frame = 0; frame < frames; ++frame) {
        if (source.part) {
            // Some frames stay where the last one was.
            if (source.moves && dice.chance(90)) {
                source.move(dice);
                ++addresses;
            }
            void *const buffer = buffer_of<void>(source.xfer());
            if (source.now) {
                EXPECT_EQ(buffer, source.now);
            }
            source.part.fill(buffer, frame);
        }
        if (sink.part && sink.moves && dice.chance(90)) {
            sink.move(dice);
            ++addresses;
        }
        if (source.part || sink.part)
            expect_success(DRI_do("moves", DRI_XFER_NULL), "DRI_do");
        if (sink.part) {
            auto *const buffer = buffer_of<std::byte>(sink.xfer());
            wrong += sink.part.wrong(buffer, frame);
            if (sink.now) {
                EXPECT_EQ(buffer, sink.now);
                sink.arena->check_around(buffer, sink.bytes);
            }
        }
        if (source.now) {
            EXPECT_EQ(source.now[-1], std::byte{Arena::guard});
            std::memset(source.now, Arena::guard, source.bytes); // the frame is done, so its memory is free
        }
    }
    EXPECT_EQ(wrong, 0);
    return addresses;
}

TEST(Rebind, TenThousandAddressesByAllWays) {
    const std::vector<int> all = all_ranks();
    const std::string turn = "int32 [24,20] block,* rm -> *,block cm",
                      backwards = fmt::format("double [14,512] block,* rm -> block,* rm over {}",
                                              fmt::join(all.rbegin(), all.rend(), ","));
    int64_t addresses = 0;
    for (const RebindCase &c : {
             RebindCase{turn, 7, true, true},
             RebindCase{turn, 2, true, true},
             RebindCase{turn, 3, true, true},
             RebindCase{turn, 6, true, true, true},
             RebindCase{"int16 [30,11] block,* rm -> cyclic(0,1),* rm buffers=1,2", 7, true, false},
             RebindCase{"double [25,12] *,block<1z:1w> cm -> block,* rm buffers=3,1", 7, false, true},
             RebindCase{"complex-float [18,14] block,* rm/split -> *,block<2z:1r> cm/p4", 7, true, true},
             // Long pieces: other processes read the program's memory.
             RebindCase{backwards, 7, true, true},
             RebindCase{"double [7,640] block,* rm -> *,* rm over all", 7, true, false},
         })
        addresses += sum_of(run_by_name(c, frames_of_a_case, 1000));
    if (!sanitized && world().size > 1) {
        EXPECT_GT(addresses, 10000);
    }
}

// Many pieces of memory, each of its own: of DRI_alloc, and the program's.
class Pieces {
public:
    Pieces(int64_t of_library, int64_t own, size_t bytes) {
        for (int64_t i = 0; i < of_library; ++i)
            expect_success(DRI_alloc(bytes, 0, &allocated_.emplace_back()), "DRI_alloc");
        for (int64_t i = 0; i < own; ++i)
            own_.emplace_back(bytes);
        for (void *piece : allocated_)
            all_.push_back(static_cast<std::byte *>(piece));
        for (auto &piece : own_)
            all_.push_back(piece.data());
    }
    ~Pieces() {
        for (void *piece : allocated_)
            expect_success(DRI_free(piece), "DRI_free");
    }
    Pieces(const Pieces &) = delete;
    Pieces &operator=(const Pieces &) = delete;

    std::byte *operator[](int64_t i) const { return all_[static_cast<size_t>(i)]; }
    int64_t size() const { return std::ssize(all_); }

private:
    std::vector<void *> allocated_;
    std::vector<std::vector<std::byte>> own_;
    std::vector<std::byte *> all_;
};

// One plan of each way, whose frames are each at addresses that no other frame has, on both sides. Processes move
// apart. With more processes than cores a frame takes long, so there are a thousand.
TEST(Rebind, OnePlanMovesToTenThousandAddresses) {
    constexpr int64_t places = 4; // in a piece
    const bool all = world().size <= 2 && !sanitized;
    const int64_t of_library = all ? 500 : 50, own = all ? 2000 : 200;
    for (const int64_t ways : {7, 6, 3, 2}) {
        SCOPED_TRACE(ways);
        const TransferCase c = case_of("int32 [8,6] block,* rm -> *,block cm");
        const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
        constexpr size_t slot = 256; // bytes; a part has at most 192
        const Pieces out(of_library, own, places * slot), in(of_library, own, places * slot);
        std::vector<int64_t> order(static_cast<size_t>(out.size() * places));
        std::iota(order.begin(), order.end(), 0);
        Dice dice(static_cast<uint64_t>(world().rank));
        dice.shuffle(order);
        const CaseEndpoint source = from.declare("many"), sink = to.declare("many");
        for (const DRI_Xfer x : {source.xfer.get(), sink.xfer.get()}) {
            expect_success(DRI_xfer_set_attr(x, DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(x, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        }
        size_t bytes = 0;
        expect_success(DRI_xfer_buffer_bytes(source.xfer, &bytes), "DRI_xfer_buffer_bytes");
        ASSERT_LE(bytes, slot);
        commit(make_world());
        const auto place = [&](const Pieces &pieces, size_t frame) {
            const int64_t at = order[frame];
            return pieces[at / places] + slot * static_cast<size_t>(at % places);
        };
        int64_t wrong = 0;
        for (size_t frame = 0; frame < order.size(); ++frame) {
            std::byte *const here = place(out, frame), *const there = place(in, order.size() - 1 - frame);
            rebind(source.xfer, here);
            rebind(sink.xfer, there);
            from.fill(here, static_cast<int64_t>(frame));
            ASSERT_EQ(DRI_do("many", DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
            wrong += to.wrong(there, static_cast<int64_t>(frame));
        }
        EXPECT_EQ(wrong, 0);
    }
}

// Several frames are under way: a frame that has begun keeps its address when the next one gets another.
TEST(Rebind, FramesUnderWayKeepTheirAddresses) {
    for (const int64_t ways : {7, 3, 2})
        for (const bool source_moves : {true, false}) {
            SCOPED_TRACE(fmt::format("ways {}, the {} moves", ways, source_moves ? "source" : "sink"));
            const TransferCase c = case_of(
                fmt::format("int32 [24,20] block,* rm -> *,block cm buffers={}", source_moves ? "1,3" : "3,1"));
            MovingEnd source("stream", c, DRI_SOURCE, source_moves, false),
                sink("stream", c, DRI_SINK, !source_moves, false);
            for (const MovingEnd *end : {&source, &sink})
                expect_success(DRI_xfer_set_attr(end->xfer(), DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(source.xfer(), DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
            commit(make_world());
            Dice dice(static_cast<uint64_t>(world().rank));
            for (int64_t first = 0; first < 30; first += 3) {
                for (int64_t frame = first; frame < first + 3; ++frame) {
                    std::byte *const buffer = buffer_of<std::byte>(source.xfer());
                    source.part.fill(buffer, frame);
                    insert(source.xfer());
                    if (source_moves)
                        source.move(dice); // the frame before is under way
                    if (frame == first + 2)
                        break;
                    const void *const acquired = acquire(source.xfer());
                    if (source_moves) {
                        EXPECT_EQ(acquired, source.now) << "the buffer to fill";
                        std::memset(buffer, Arena::guard, source.bytes);
                    }
                }
                for (int64_t frame = first; frame < first + 3; ++frame) {
                    if (!source_moves)
                        sink.move(dice);
                    DRI_Frame header{};
                    const void *const buffer = extract(sink.xfer(), &header);
                    EXPECT_EQ(header.number, frame);
                    EXPECT_EQ(sink.part.wrong(buffer, frame), 0) << frame;
                    if (!source_moves) {
                        EXPECT_EQ(buffer, sink.now);
                    }
                    release(sink.xfer());
                }
                acquire(source.xfer());
            }
        }
}

// After DRI_start the frame is under way on both sides.
TEST(Rebind, AStartedFrameKeepsItsAddress) {
    const TransferCase c = case_of("int32 [24,20] block,* rm -> *,block cm");
    MovingEnd source("started", c, DRI_SOURCE, true, false), sink("started", c, DRI_SINK, true, false);
    commit(make_world());
    Dice dice(static_cast<uint64_t>(world().rank));
    source.move(dice);
    sink.move(dice);
    for (int64_t frame = 0; frame < 20; ++frame) {
        std::byte *const from = source.now, *const to = sink.now;
        source.part.fill(from, frame);
        expect_success(DRI_start("started", DRI_XFER_NULL), "DRI_start");
        source.move(dice);
        sink.move(dice);
        while (source.now < from + source.bytes && from < source.now + source.bytes)
            source.move(dice); // what is filled next must not be what is sent now
        expect_success(DRI_wait("started", DRI_XFER_NULL), "DRI_wait");
        EXPECT_EQ(buffer_of<std::byte>(sink.xfer()), to);
        EXPECT_EQ(buffer_of<std::byte>(source.xfer()), source.now);
        EXPECT_EQ(sink.part.wrong(to, frame), 0) << frame;
        DRI_View view;
        expect_success(DRI_xfer_get_view(sink.xfer(), &view), "DRI_xfer_get_view");
        EXPECT_EQ(view.data, to);
        void *next = nullptr;
        expect_success(DRI_xfer_get_buffers(sink.xfer(), nullptr, &next), "DRI_xfer_get_buffers");
        EXPECT_EQ(next, sink.now);
    }
}

// Ever new pieces of memory, each freed as soon as its frame is done.
TEST(Rebind, MemoryIsFreedBetweenFrames) {
    const TransferCase c = case_of("int32 [24,20] block,* rm -> *,block cm");
    const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
    const CaseEndpoint source = from.declare("pieces"), sink = to.declare("pieces");
    for (const DRI_Xfer x : {source.xfer.get(), sink.xfer.get()})
        expect_success(DRI_xfer_set_attr(x, DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
    commit(make_world());
    void *old[2] = {};
    for (int64_t frame = 0; frame < 40; ++frame) {
        void *now[2] = {};
        for (void *&piece : now)
            expect_success(DRI_alloc(4000, 0, &piece), "DRI_alloc");
        rebind(source.xfer, now[0]);
        rebind(sink.xfer, now[1]);
        for (void *piece : old)
            EXPECT_EQ(DRI_free(piece), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(DRI_free(now[0]), DRI_ERR_STATE);
        EXPECT_EQ(DRI_free(now[1]), DRI_ERR_STATE);
        from.fill(now[0], frame);
        expect_success(DRI_start("pieces", DRI_XFER_NULL), "DRI_start");
        EXPECT_EQ(DRI_free(now[1]), DRI_ERR_STATE) << "the frame is under way";
        expect_success(DRI_wait("pieces", DRI_XFER_NULL), "DRI_wait");
        EXPECT_EQ(to.wrong(now[1], frame), 0) << frame;
        std::copy(std::begin(now), std::end(now), std::begin(old));
    }
    // The endpoints are destroyed in the memory of the last frame.
    barrier();
    std::vector<int32_t> last(2000);
    rebind(source.xfer, last.data());
    rebind(sink.xfer, last.data() + 1000);
    for (void *piece : old)
        EXPECT_EQ(DRI_free(piece), DRI_SUCCESS) << DRI_error_message();
}

} // namespace
} // namespace dri::test
