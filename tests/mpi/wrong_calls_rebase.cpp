// Wrong calls on sliding windows, and endpoints whose windows cannot slide.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

Gdo first_rows(DRI_Gdo gdo, int64_t rows, int64_t columns) {
    const int64_t offsets[]{2, 0}, sizes[]{rows, columns};
    Gdo sub;
    expect_success(DRI_gdo_subset(gdo, offsets, sizes, sub.out()), "DRI_gdo_subset");
    return sub;
}

void let_slide(DRI_Xfer xfer, int64_t dims) {
    expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_REBASE, dims), "DRI_xfer_set_attr");
}

// Twelve rows. The window has five of them, starting from the third.
struct Sliding {
    Group all = make_world();
    Gdo whole = make_gdo({12, 10}, DRI_INT32), part = first_rows(whole, 5, 10);
    Dist longer = make_dist(whole, make_blocks(2, 1), all), window = make_dist(part, make_blocks(2, 0), all);
};

std::function<int()> rebases(DRI_Xfer xfer, int64_t rows, int64_t columns) {
    return [=] {
        const int64_t offset[]{rows, columns};
        return DRI_xfer_rebase(xfer, offset);
    };
}

TEST(WrongWindows, OffsetsAreRefused) {
    const Sliding s;
    for (const bool of_source : {true, false}) {
        const Xfer source = make_xfer("slides", DRI_SOURCE, of_source ? s.longer : s.window),
                   sink = make_xfer("slides", DRI_SINK, of_source ? s.window : s.longer);
        const DRI_Xfer slides = of_source ? source : sink, other = of_source ? sink : source;
        const char *const role = of_source ? "source" : "sink";
        let_slide(slides, 1);
        expect_refused({{"before the commit", rebases(slides, 0, 0), DRI_ERR_STATE, {"'slides'", "committed"}}});
        commit(s.all);
        expect_refused({
            {"a row too far", rebases(slides, 6, 0), DRI_ERR_ARG, {"'slides'", role, "offset[0] is 6", "-2 to 5"}},
            {"a row too early",
             rebases(slides, -3, 0),
             DRI_ERR_ARG,
             {"offset[0] is -3", "dimension 0", "-2 to 5"}},
            {"as far as numbers go", rebases(slides, largest, 0), DRI_ERR_ARG, {"offset[0]"}},
            {"as early as numbers go", rebases(slides, -largest - 1, 0), DRI_ERR_ARG, {"offset[0]"}},
            {"where it does not slide",
             rebases(slides, 0, 1),
             DRI_ERR_ARG,
             {"offset[1] is 1", "does not slide along dimension 1"}},
            {"no offset", [=] { return DRI_xfer_rebase(slides, nullptr); }, DRI_ERR_ARG, {"offset"}},
            {"the other endpoint", rebases(other, 0, 0), DRI_ERR_STATE, {"'slides'", "DRI_ATTR_REBASE"}},
            {"no endpoint", rebases(DRI_XFER_NULL, 0, 0), DRI_ERR_HANDLE, {"null"}},
            {"no longer settable",
             [=] { return DRI_xfer_set_attr(slides, DRI_ATTR_REBASE, 0); },
             DRI_ERR_STATE,
             {"committed"}},
        });
        // Refused calls have moved nothing, and the window may move to the last row.
        auto *const out = buffer_of<int32_t>(source);
        size_t bytes = 0;
        expect_success(DRI_xfer_buffer_bytes(source, &bytes), "DRI_xfer_buffer_bytes");
        std::fill_n(out, bytes / sizeof *out, 7);
        EXPECT_EQ(rebases(slides, 5, 0)(), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(rebases(slides, 6, 0)(), DRI_ERR_ARG);
        expect_success(DRI_do("slides", DRI_XFER_NULL), "DRI_do");
        if (!of_source) {
            const auto *const got = buffer_of<int32_t>(sink);
            expect_success(DRI_xfer_buffer_bytes(sink, &bytes), "DRI_xfer_buffer_bytes");
            const auto n = static_cast<int64_t>(bytes) / 48; // columns of this process
            int64_t wrong = 0;
            for (int64_t i = 0; i < 12 * n; ++i)
                wrong += got[i] != (i / n >= 7 ? 7 : 0);
            EXPECT_EQ(wrong, 0);
        }
    }
}

TEST(WrongWindows, AttributesAreRefused) {
    const Sliding s;
    const Xfer source = make_xfer("attribute", DRI_SOURCE, s.longer);
    const DRI_Xfer xfer = source;
    const auto set = [=](int64_t value) {
        return [=] { return DRI_xfer_set_attr(xfer, DRI_ATTR_REBASE, value); };
    };
    expect_refused({
        {"a third dimension", set(4), DRI_ERR_ARG, {"DRI_ATTR_REBASE is 4", "0 to 3"}},
        {"less than none", set(-1), DRI_ERR_ARG, {"DRI_ATTR_REBASE is -1"}},
    });
}

// A source and a sink whose commit must fail on all processes, and succeeds once nothing slides.
void expect_stuck(const Xfer &source, const Xfer &sink, const Xfer &slides, int64_t dims, int code,
                  const std::vector<std::string> &words) {
    const Group all = make_world();
    let_slide(slides, dims);
    EXPECT_EQ(DRI_commit(all), code);
    for (const std::string &word : words)
        EXPECT_NE(std::string(DRI_error_message()).find(word), std::string::npos)
            << word << ": " << DRI_error_message();
    DRI_Memory memory;
    const DRI_Xfer endpoint = source;
    EXPECT_EQ(DRI_xfer_query(all, 1, &endpoint, &memory), code);
    let_slide(slides, 0);
    commit(all);
    static_cast<void>(sink);
}

TEST(WrongWindows, WindowsThatCannotSlideFailAtTheCommit) {
    const Sliding s;
    const int size = world().size;
    for (const bool of_source : {true, false}) {
        const std::string role = of_source ? "source" : "sink";
        const auto pair = [&](DRI_Dist longer) {
            return std::pair(make_xfer("stuck", DRI_SOURCE, of_source ? longer : s.window.get()),
                             make_xfer("stuck", DRI_SINK, of_source ? s.window.get() : longer));
        };
        if (size > 1) {
            const auto [source, sink] = pair(s.longer);
            expect_stuck(
                source, sink, of_source ? source : sink, 2, DRI_ERR_UNSUPPORTED,
                {"'stuck'", "DRI_ATTR_REBASE", "dimension 1 of the " + role, "is cut", "all 10 elements"});
        }
        {
            std::vector<int64_t> backwards;
            for (int64_t i = 12; i-- > 0;)
                backwards.push_back(i);
            const Dist scattered = make_dist(
                s.whole,
                make_part({{.kind = DRI_INDICES, .nparts = 1, .indices = backwards.data(), .nindices = 12},
                           {.kind = DRI_BLOCK}}),
                s.all);
            const auto [source, sink] = pair(scattered);
            expect_stuck(source, sink, of_source ? source : sink, 1, DRI_ERR_UNSUPPORTED,
                         {"'stuck'", "dimension 0 of the " + role, "one after the other"});
        }
        if (!of_source) {
            const Dist around =
                make_dist(s.whole, make_part({{.left = 1, .left_edge = DRI_WRAP}, {.kind = DRI_BLOCK}}), s.all);
            const auto [source, sink] = pair(around);
            expect_stuck(source, sink, sink, 1, DRI_ERR_UNSUPPORTED,
                         {"'stuck'", "dimension 0 of the sink", "overlap", "13 elements along it, the array 12"});
        }
    }
}

TEST(WrongWindows, StripsAndTransfersInPlaceRefuseWindows) {
    const Sliding s;
    {
        const Gdo strip = [&] {
            const int64_t offsets[2]{}, sizes[]{4, 10};
            Gdo sub;
            expect_success(DRI_gdo_subset(s.whole, offsets, sizes, sub.out()), "DRI_gdo_subset");
            return sub;
        }();
        Xfer sink;
        const Dist strips = make_dist(strip, make_blocks(2, 1), s.all);
        expect_success(
            DRI_xfer_create_strips("strips", DRI_SINK, s.whole, 0, strips, DRI_ROW_MAJOR, 1, nullptr, sink.out()),
            "DRI_xfer_create_strips");
        const Xfer source = make_xfer("strips", DRI_SOURCE, s.longer);
        expect_stuck(source, sink, source, 1, DRI_ERR_UNSUPPORTED,
                     {"'strips'", "strips", "source", "DRI_ATTR_REBASE"});
    }
    const Xfer source = make_xfer("place", DRI_SOURCE, s.longer), sink = make_xfer("place", DRI_SINK, s.window);
    for (const DRI_Xfer endpoint : {source.get(), sink.get()})
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, 1), "DRI_xfer_set_attr");
    expect_stuck(source, sink, source, 1, DRI_ERR_UNSUPPORTED, {"'place'", "in place", "DRI_ATTR_REBASE"});
}

TEST(WrongWindows, ProcessesThatDisagreeAllFail) {
    if (world().size == 1)
        return;
    const Sliding s;
    const Xfer source = make_xfer("disagree", DRI_SOURCE, s.longer),
               sink = make_xfer("disagree", DRI_SINK, s.window);
    let_slide(source, world().rank == 0 ? 1 : 0);
    EXPECT_EQ(DRI_commit(s.all), DRI_ERR_MISMATCH);
    for (const char *word : {"'disagree'", "source", "DRI_ATTR_REBASE", "1 on process 0", "0 on process 1"})
        EXPECT_NE(std::string(DRI_error_message()).find(word), std::string::npos) << DRI_error_message();
    let_slide(source, 1);
    commit(s.all);
}

} // namespace
} // namespace dri::test
