// Sliding windows over the user's memory, which other processes read directly in long pieces or receive by copy.
#include "support/library.hpp"
#include "support/strip.hpp"

namespace dri::test {
namespace {

// Long rows of another process are read directly, short ones are copied. A copy covers what the window can reach.
TEST(WindowsInMemory, SlideOverRecordings) {
    const Group all = make_world();
    const int64_t sensors = world().size;
    for (const int64_t elements : {int64_t{3}, int64_t{4000}}) { // of each sample: short pieces and long ones
        const auto stretch = [&](int64_t at) {
            return case_of(
                fmt::format("int32 [20,{0},{1}] *,block,* rm -> at[{2},0,0]+[6,{0},{1}] block,*,* rm direct",
                            sensors, elements, at));
        };
        const CasePart recording(stretch(0), DRI_SOURCE);
        const Dist from = std::move(recording.make().dist),
                   to = std::move(CasePart(stretch(0), DRI_SINK).make().dist);
        std::vector<std::vector<int32_t>> memory(2, std::vector<int32_t>(static_cast<size_t>(20 * elements)));
        void *buffers[]{memory[0].data(), memory[1].data()};
        Xfer source;
        expect_success(DRI_xfer_create("user", DRI_SOURCE, from, DRI_ROW_MAJOR, 2, buffers, source.out()),
                       "DRI_xfer_create");
        const Xfer sink = make_xfer("user", DRI_SINK, to);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        commit(all);
        for (int64_t f = 0; f < 6; ++f) {
            const int64_t at = 5 * f % 15;
            recording.fill(buffers[f % 2], f);
            const int64_t offset[]{at, 0, 0};
            expect_success(DRI_xfer_rebase(source, offset), "DRI_xfer_rebase");
            expect_success(DRI_do("user", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(CasePart(stretch(at), DRI_SINK).wrong(buffer_of<int32_t>(sink), f), 0) << "frame " << f;
        }
    }
}

constexpr int64_t line_elements = 5000, window_elements = 3000; // lines of 12 KB are read directly

// Lines that another process receives. One side holds whole lines, the other a window that slides along them.
struct Lines {
    bool of_source = true; // whether the source holds whole lines
    DRI_Layout layout{};   // the sink's layout
    int64_t threads = 1;
    int64_t n = 7; // lines of each process

    int64_t elements(bool source) const { return source == of_source ? line_elements : window_elements; }
    int64_t first(bool source) const {
        const int64_t rank = world().rank, last = world().size - 1;
        return n * (source ? rank : last - rank);
    }
    static int32_t value(int64_t i, int64_t j, int64_t frame) {
        return static_cast<int32_t>(i * 1009 + j * 31 + frame * 1000003 + 1);
    }
    // The offset in the sink's buffer.
    int64_t at(int64_t i, int64_t j) const {
        return layout.id == DRI_ROW_MAJOR.id ? i * elements(false) + j : j * n + i;
    }
    Xfer declare(DRI_Role role, std::vector<int32_t> &memory) const {
        const bool source = role == DRI_SOURCE;
        std::vector<int> procs = all_ranks();
        if (!source)
            std::reverse(procs.begin(), procs.end());
        const Gdo whole = make_gdo({n * world().size, line_elements}, DRI_INT32);
        const int64_t zeros[2]{}, sizes[]{n * world().size, elements(source)};
        Gdo box;
        expect_success(DRI_gdo_subset(whole, zeros, sizes, box.out()), "DRI_gdo_subset");
        memory.assign(static_cast<size_t>(n * elements(source)) + 3, -1);
        void *buffers[]{memory.data() + 1}; // not at the start of a cache line
        Xfer xfer;
        expect_success(DRI_xfer_create("lines", role, make_dist(box, make_blocks(2, 0), make_group(procs)),
                                       source ? DRI_ROW_MAJOR : layout, 1, buffers, xfer.out()),
                       "DRI_xfer_create");
        expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_REBASE, source == of_source ? 2 : 0), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
        return xfer;
    }
};

void expect_lines(const Lines &lines) {
    std::vector<int32_t> out, in;
    const Xfer source = lines.declare(DRI_SOURCE, out), sink = lines.declare(DRI_SINK, in);
    commit(make_world());
    std::vector<int32_t> expected = in;
    for (const int64_t at : {1, 1003, 2000, 17, 0}) {
        for (int64_t i = 0; i < lines.n; ++i)
            for (int64_t j = 0; j < lines.elements(true); ++j)
                out[static_cast<size_t>(1 + i * lines.elements(true) + j)] =
                    Lines::value(lines.first(true) + i, j, at);
        const int64_t offset[]{0, at}, from = lines.of_source ? at : 0, to = lines.of_source ? 0 : at;
        expect_success(DRI_xfer_rebase(lines.of_source ? source : sink, offset), "DRI_xfer_rebase");
        expect_success(DRI_do("lines", DRI_XFER_NULL), "DRI_do");
        for (int64_t i = 0; i < lines.n; ++i)
            for (int64_t j = 0; j < window_elements; ++j)
                expected[static_cast<size_t>(1 + lines.at(i, j + to))] =
                    Lines::value(lines.first(false) + i, j + from, at);
        EXPECT_TRUE(in == expected) << "at " << at; // includes what lies around the window and around the buffer
    }
}

TEST(WindowsInMemory, SlideByAnyNumberOfElements) {
    for (const bool of_source : {true, false})
        for (const DRI_Layout layout : {DRI_ROW_MAJOR, DRI_COL_MAJOR})
            for (const int64_t threads : {1, 3}) {
                SCOPED_TRACE(testing::Message() << (of_source ? "source" : "sink") << ", layout " << layout.id
                                                << ", " << threads << " threads");
                expect_lines({.of_source = of_source, .layout = layout, .threads = threads});
            }
}

} // namespace
} // namespace dri::test
