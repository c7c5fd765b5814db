// Halo exchanges in place, whichever memory the buffers are in. What each process must hold is computed here from
// the sizes of the blocks, the widths and the edges. Processes dawdle, and change a buffer as soon as it is theirs
// again.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace dri::test {
namespace {

// One dimension: the sizes of its parts, and the overlap around each of them.
struct Cut {
    std::vector<int64_t> sizes;
    int64_t left = 0, right = 0;
    DRI_Edge edge = DRI_TRUNCATE;

    int64_t size() const {
        int64_t n = 0;
        for (const int64_t s : sizes)
            n += s;
        return n;
    }
    Rule rule() const {
        return {.kind = DRI_SIZES,
                .nparts = static_cast<int>(sizes.size()),
                .sizes = sizes.data(),
                .left = left,
                .right = right,
                .left_edge = edge,
                .right_edge = edge};
    }
};

constexpr int64_t pad = -1;

// What a part holds along a dimension, in its order in memory.
struct Held {
    std::vector<int64_t> index; // global, or a pad of zeros
    std::vector<bool> owned;
};

Held held_by(const Cut &cut, size_t part) {
    Held held;
    int64_t first = 0;
    for (size_t i = 0; i < part; ++i)
        first += cut.sizes[i];
    const int64_t n = cut.size(), behind = first + cut.sizes[part];
    for (int64_t i = first - cut.left; first < behind && i < behind + cut.right; ++i) {
        const bool inside = i >= 0 && i < n;
        if (!inside && cut.edge == DRI_TRUNCATE)
            continue;
        held.owned.push_back(i >= first && i < behind);
        held.index.push_back(inside                     ? i
                             : cut.edge == DRI_PAD_ZERO ? pad
                             : cut.edge == DRI_WRAP     ? (i + 64 * n) % n
                                                        : std::clamp(i, int64_t{0}, n - 1));
    }
    return held;
}

enum class From { library, alloc, either, plain };
constexpr From all_memory[]{From::library, From::alloc, From::either, From::plain};

double value_at(int64_t i, int64_t j, int64_t frame) {
    return static_cast<double>((i * 1000 + j) * 1000 + frame + 1);
}

bool allows(const char *way) {
    const char *const ways = std::getenv("DRI_WAYS");
    return !ways || std::string(ways).find(way) != std::string::npos;
}
bool may_go_direct() { return allows("direct"); }

void dawdle(Dice &dice) {
    if (dice.chance(30))
        std::this_thread::sleep_for(std::chrono::microseconds(dice.range(1, 300)));
    else if (dice.chance(30))
        std::this_thread::yield();
}

struct FreeMemory {
    void operator()(void *memory) const { expect_success(DRI_free(memory), "DRI_free"); }
};

struct HaloCase {
    std::vector<Cut> cuts;
    int replicas = 1;
    int buffers = 1;
    From from = From::library;
    DRI_In_place mode = DRI_IN_PLACE;
    int threads = 1;
    bool progress_thread = false;
    int64_t ways = DRI_WAY_SELF | DRI_WAY_DIRECT | DRI_WAY_MESSAGE;
};

// One transfer of one or two dimensions. Collective over the world.
class Halo {
public:
    explicit Halo(const HaloCase &c) : case_(c), dice_(static_cast<uint64_t>(world().rank) + 17) {
        const auto columns = static_cast<int>(c.cuts.size() > 1 ? c.cuts[1].sizes.size() : 1);
        const int part = world().rank % (static_cast<int>(c.cuts[0].sizes.size()) * columns);
        rows_ = held_by(c.cuts[0], static_cast<size_t>(part / columns));
        columns_ = c.cuts.size() > 1 ? held_by(c.cuts[1], static_cast<size_t>(part % columns)) : Held{{0}, {true}};
        std::vector<Rule> rules;
        std::vector<int64_t> sizes;
        for (const Cut &cut : c.cuts) {
            rules.push_back(cut.rule());
            sizes.push_back(cut.size());
        }
        const int parts = static_cast<int>(c.cuts[0].sizes.size()) * columns;
        const Dist dist =
            make_dist(make_gdo(sizes, DRI_DOUBLE), make_part(rules), make_group(ranks(parts * c.replicas)));
        static int number = 0;
        name_ = "halo " + std::to_string(number++);
        take_memory();
        const bool given = !buffers_.empty();
        for (Xfer *const end : {&source_, &sink_}) {
            expect_success(DRI_xfer_create(name_.c_str(), end == &source_ ? DRI_SOURCE : DRI_SINK, dist,
                                           DRI_ROW_MAJOR, c.buffers, given ? buffers_.data() : nullptr,
                                           end->out()),
                           "DRI_xfer_create");
            set(*end, DRI_ATTR_IN_PLACE, c.mode);
            set(*end, DRI_ATTR_WAYS, c.ways);
            set(*end, DRI_ATTR_THREADS, c.threads);
            set(*end, DRI_ATTR_PROGRESS_THREAD, c.progress_thread);
        }
    }

    DRI_Xfer source() const { return source_; }
    DRI_Xfer sink() const { return sink_; }
    const char *name() const { return name_.c_str(); }

    // Fills what the process owns. All else holds numbers that are wrong.
    void fill() {
        data_ = buffer_of<double>(source_);
        for_each(
            [&](size_t at, int64_t i, int64_t j, bool owned) { data_[at] = owned ? value_at(i, j, frame_) : -7; });
    }
    // Spoils what the process owns as soon as it may, or looks at it.
    void check() {
        const bool spoils = dice_.chance(50);
        if (spoils)
            for_each([&](size_t at, int64_t, int64_t, bool owned) { data_[at] = owned ? -9 : data_[at]; });
        dawdle(dice_);
        int64_t wrong = 0;
        for_each([&](size_t at, int64_t i, int64_t j, bool owned) {
            const double expected = spoils && owned ? -9 : i == pad || j == pad ? 0 : value_at(i, j, frame_);
            wrong += data_[at] != expected;
        });
        EXPECT_EQ(wrong, 0) << name_ << ", frame " << frame_;
        ++frame_;
    }
    void frame() {
        fill();
        dawdle(dice_);
        switch (dice_.range(0, 3)) {
        case 0: move_by_test(); break;
        case 1:
            expect_success(DRI_start(name(), DRI_XFER_NULL), "DRI_start");
            dawdle(dice_);
            expect_success(DRI_wait(name(), DRI_XFER_NULL), "DRI_wait");
            break;
        default: expect_success(DRI_do(name(), DRI_XFER_NULL), "DRI_do");
        }
        check();
    }
    DRI_Xfer_info info() const {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(sink_, &info), "DRI_xfer_get_info");
        return info;
    }
    void destroy() {
        expect_success(source_.reset(), "DRI_xfer_destroy");
        expect_success(sink_.reset(), "DRI_xfer_destroy");
    }

private:
    static void set(DRI_Xfer end, DRI_Attr attribute, int64_t value) {
        expect_success(DRI_xfer_set_attr(end, attribute, value), "DRI_xfer_set_attr");
    }
    void take_memory() {
        const int64_t bytes = std::ssize(rows_.index) * std::ssize(columns_.index) * int64_t{sizeof(double)};
        const bool library = case_.from == From::library || (case_.from == From::either && world().rank % 2 == 0);
        for (int i = 0; i < case_.buffers && !library; ++i) {
            if (case_.from == From::plain) {
                plain_.emplace_back(static_cast<size_t>(bytes) / sizeof(double) + 1);
                buffers_.push_back(plain_.back().data());
                continue;
            }
            void *memory = nullptr;
            expect_success(DRI_alloc(static_cast<size_t>(bytes) + 64, 64, &memory), "DRI_alloc");
            taken_.emplace_back(memory);
            buffers_.push_back(memory);
        }
    }
    void move_by_test() {
        expect_success(DRI_start(name(), DRI_XFER_NULL), "DRI_start");
        for (int done = 0; !done; std::this_thread::yield())
            expect_success(DRI_test(name(), DRI_XFER_NULL, &done), "DRI_test");
    }
    template <class F> void for_each(const F &f) const {
        size_t at = 0;
        for (size_t r = 0; r < rows_.index.size(); ++r)
            for (size_t c = 0; c < columns_.index.size(); ++c)
                f(at++, rows_.index[r], columns_.index[c], rows_.owned[r] && columns_.owned[c]);
    }

    HaloCase case_;
    Dice dice_;
    Held rows_, columns_;
    std::string name_;
    std::vector<std::vector<double>> plain_;
    std::vector<std::unique_ptr<void, FreeMemory>> taken_;
    std::vector<void *> buffers_;
    Xfer source_, sink_; // are destroyed before the memory
    double *data_ = nullptr;
    int64_t frame_ = 0;
};

// Sizes that differ, for a number of parts.
std::vector<int64_t> uneven(int parts, int64_t least) {
    std::vector<int64_t> sizes;
    for (int i = 0; i < parts; ++i)
        sizes.push_back(least + i % 3);
    return sizes;
}

// Commits, moves frames, and expects the way that the memory allows.
void expect_halo(const HaloCase &c, int frames = 4) {
    Halo halo(c);
    commit(make_world());
    for (int f = 0; f < frames; ++f)
        halo.frame();
    const bool direct = c.from != From::plain && may_go_direct();
    const bool self = (c.ways & DRI_WAY_SELF) && allows("self");
    const DRI_Xfer_info info = halo.info();
    if (direct && self) {
        EXPECT_EQ(info.bytes_message, 0) << explain(halo.sink());
        EXPECT_EQ(info.workspace_bytes, 0);
    }
    if (!direct) {
        EXPECT_EQ(info.bytes_direct, 0) << explain(halo.sink());
    }
    if (world().size > c.replicas) {
        EXPECT_EQ(sum_of(info.bytes_direct) > 0, direct);
    }
}

constexpr DRI_Edge edges[]{DRI_WRAP, DRI_TRUNCATE, DRI_PAD_ZERO, DRI_PAD_REPLICATE};

TEST(Halos, OfOneDimension) {
    for (const DRI_Edge edge : edges)
        for (int64_t width = 1; width <= 3; ++width)
            for (const From from : all_memory) {
                SCOPED_TRACE(fmt::format("edge {}, width {}, memory {}", static_cast<int>(edge), width,
                                         static_cast<int>(from)));
                expect_halo({.cuts = {{uneven(world().size, 2), width, 4 - width, edge}},
                             .buffers = width == 2 ? 2 : 1,
                             .from = from});
            }
}

TEST(Halos, OfTwoDimensionsWithCorners) {
    int down = 1;
    for (int i = 2; i * i <= world().size; ++i)
        down = world().size % i == 0 ? i : down;
    const int across = world().size / down;
    for (const DRI_Edge edge : edges)
        for (int64_t width = 1; width <= 3; ++width)
            for (const From from : all_memory) {
                SCOPED_TRACE(fmt::format("edge {}, width {}, memory {}", static_cast<int>(edge), width,
                                         static_cast<int>(from)));
                expect_halo({.cuts = {{uneven(down, 3), width, 1, edge},
                                      {uneven(across, 4), 2, width, width == 3 ? DRI_WRAP : edge}},
                             .buffers = width == 2 ? 3 : 1,
                             .from = from});
            }
}

// Overlap that reaches past the neighbours, and parts without elements.
TEST(Halos, ReachPastNeighbours) {
    std::vector<int64_t> sizes = uneven(world().size, 0);
    sizes.front() = 2;
    for (const DRI_Edge edge : edges)
        for (const From from : {From::library, From::plain})
            expect_halo({.cuts = {{sizes, 3, 4, edge}, {{5}, 1, 1, edge}}, .from = from});
}

// Each process takes from a copy on its own node.
TEST(Halos, OfReplicatedParts) {
    if (world().size % 2 == 1)
        GTEST_SKIP() << "needs two processes for each part";
    for (const From from : {From::library, From::alloc})
        expect_halo({.cuts = {{uneven(world().size / 2, 3), 1, 2, DRI_WRAP}, {{6}}}, .replicas = 2, .from = from},
                    6);
}

TEST(Halos, WithThreadsAndInBothModes) {
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT})
        for (const int threads : {1, 2})
            for (const bool progress : {false, true})
                for (const From from : {From::library, From::plain})
                    expect_halo({.cuts = {{uneven(world().size, 4), 1, 1, DRI_WRAP}, {{40}, 2, 2, DRI_WRAP}},
                                 .from = from,
                                 .mode = mode,
                                 .threads = threads,
                                 .progress_thread = progress});
}

// What a process takes from itself travels in messages, beside what its neighbours read.
TEST(Halos, ReadsAndMessagesInOneFrame) {
    for (const DRI_Edge edge : {DRI_WRAP, DRI_PAD_REPLICATE})
        for (const int buffers : {1, 2})
            expect_halo({.cuts = {{uneven(world().size, 2), 2, 1, edge}, {{9}, 1, 3, edge}},
                         .buffers = buffers,
                         .ways = DRI_WAY_DIRECT | DRI_WAY_MESSAGE},
                        40);
}

// Many frames of one buffer, whose owners change it at once.
TEST(Halos, NobodyReadsABufferThatIsTheCallersAgain) {
    for (const int buffers : {1, 2})
        expect_halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}, {{64}}}, .buffers = buffers}, 300);
}

TEST(Halos, ReportWhatTheyTake) {
    for (const From from : all_memory) {
        Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}, {{64}}}, .buffers = 2, .from = from});
        const DRI_Xfer ends[]{halo.source(), halo.sink()};
        DRI_Memory reported[2];
        expect_success(DRI_xfer_query(make_world(), 2, ends, reported), "DRI_xfer_query");
        commit(make_world());
        for (int i = 0; i < 2; ++i) {
            DRI_Xfer_info info{};
            expect_success(DRI_xfer_get_info(ends[i], &info), "DRI_xfer_get_info");
            EXPECT_EQ(reported[i].workspace_bytes, info.workspace_bytes);
            if (from != From::plain && may_go_direct() && allows("self")) {
                EXPECT_EQ(info.workspace_bytes, 0);
            }
        }
        EXPECT_EQ(reported[1].buffer_bytes, 0);
        if (world().size > 1) {
            const char *const way = from != From::plain && may_go_direct() ? "direct" : "message";
            EXPECT_NE(explain(halo.source()).find(way), std::string::npos) << explain(halo.source());
            EXPECT_NE(explain(halo.sink()).find(way), std::string::npos) << explain(halo.sink());
        }
        EXPECT_NE(explain(halo.source()).find("stay where they are"), std::string::npos);
        halo.frame();
    }
}

// One process gives plain memory. All learn it, and move messages.
TEST(Halos, OnePlainBufferMakesAllOfItMessages) {
    const bool last = world().rank == world().size - 1;
    Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}}, .from = last ? From::plain : From::library});
    commit(make_world());
    for (int f = 0; f < 3; ++f)
        halo.frame();
    EXPECT_EQ(halo.info().bytes_direct, 0);
}

// The first process sends and receives nothing. Its call waits until its neighbour has read.
TEST(Halos, AWaitForAReaderMayTimeOut) {
    const auto [rank, size] = world();
    if (size < 2 || !may_go_direct())
        GTEST_SKIP() << "needs another process that reads";
    Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}}});
    if (rank == 0)
        expect_success(DRI_xfer_set_attr(halo.source(), DRI_ATTR_TIMEOUT_MS, 20), "DRI_xfer_set_attr");
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        halo.fill();
        if (rank == 0) {
            EXPECT_EQ(DRI_do(halo.name(), DRI_XFER_NULL), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(DRI_error_message()).find("process 1"), std::string::npos)
                << DRI_error_message();
        }
        barrier();
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = DRI_do(halo.name(), DRI_XFER_NULL);
        expect_success(code, "DRI_do");
        halo.check();
        barrier();
    }
}

// It takes from one neighbour and sends to none, and the transfer ends for that neighbour as by messages.
TEST(Halos, ALeavingReaderEndsTheTransfer) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a neighbour";
    for (const From from : {From::library, From::alloc, From::plain}) {
        Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}}, .from = from});
        commit(make_world());
        halo.frame();
        if (rank == size - 1)
            halo.destroy();
        barrier();
        if (rank == size - 2) {
            halo.fill();
            EXPECT_EQ(DRI_do(halo.name(), DRI_XFER_NULL), DRI_ERR_STATE);
            EXPECT_NE(std::string(DRI_error_message()).find(std::to_string(size - 1)), std::string::npos)
                << DRI_error_message();
        }
        barrier();
    }
}

// The library's buffers stay until both endpoints are destroyed, whichever goes first.
TEST(Halos, BuffersStayAsLongAsOneEndpoint) {
    for (const bool source_first : {false, true}) {
        Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}}});
        commit(make_world());
        halo.frame();
        halo.fill();
        expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        DRI_Xfer first = source_first ? halo.source() : halo.sink();
        expect_success(DRI_xfer_destroy(&first), "DRI_xfer_destroy");
        halo.check();
        barrier();
    }
}

} // namespace
} // namespace dri::test
