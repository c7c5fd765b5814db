// Wrong calls on endpoints whose frames are strips.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

Gdo box_of(DRI_Gdo gdo, const std::vector<int64_t> &offsets, const std::vector<int64_t> &sizes) {
    Gdo sub;
    expect_success(DRI_gdo_subset(gdo, offsets.data(), sizes.data(), sub.out()), "DRI_gdo_subset");
    return sub;
}

TEST(WrongStrips, DeclarationsAreRefused) {
    const Group all = make_world();
    const Gdo whole = make_gdo({12, 10}, DRI_INT32), part = box_of(whole, {1, 0}, {9, 10}),
              longer = make_gdo({20, 10}, DRI_INT32), doubles = make_gdo({12, 10}, DRI_DOUBLE);
    const Part rows = make_blocks(2, 0);
    const Dist strip = make_dist(box_of(whole, {0, 0}, {5, 10}), rows, all),
               second = make_dist(box_of(whole, {5, 0}, {5, 10}), rows, all),
               narrow = make_dist(box_of(whole, {0, 0}, {5, 9}), rows, all),
               none = make_dist(box_of(whole, {0, 0}, {0, 10}), rows, all),
               all_of_it = make_dist(whole, rows, all);
    const int64_t sizes[]{5};
    const Dist exactly_five = make_dist(box_of(whole, {0, 0}, {5, 10}),
                                        make_part({{.kind = DRI_SIZES, .nparts = 1, .sizes = sizes}, {}}), all);
    const auto create = [&](DRI_Role role, DRI_Gdo gdo, int dim, DRI_Dist dist, int n = 1,
                            void *const *buffers = nullptr) {
        return makes<DRI_Xfer>([=](DRI_Xfer *out) {
            return DRI_xfer_create_strips("s", role, gdo, dim, dist, DRI_ROW_MAJOR, n, buffers, out);
        });
    };
    void *no_buffers[1]{};
    expect_refused({
        {"no whole", create(DRI_SINK, {}, 0, strip), DRI_ERR_HANDLE, {"null", "GDO"}},
        {"no strip", create(DRI_SINK, whole, 0, {}), DRI_ERR_HANDLE, {"null"}},
        {"dimension -1", create(DRI_SINK, whole, -1, strip), DRI_ERR_ARG, {"dim is -1", "2 dimensions"}},
        {"dimension 2", create(DRI_SOURCE, whole, 2, strip), DRI_ERR_ARG, {"dim is 2", "2 dimensions"}},
        {"along the other dimension",
         create(DRI_SOURCE, whole, 1, strip),
         DRI_ERR_ARG,
         {"dimension 0", "5", "12"}},
        {"a strip of nothing", create(DRI_SINK, whole, 0, none), DRI_ERR_ARG, {"dimension 0", "0 elements"}},
        {"not the first strip", create(DRI_SINK, whole, 0, second), DRI_ERR_ARG, {"dimension 0", "starts at 5"}},
        {"not all columns", create(DRI_SINK, whole, 0, narrow), DRI_ERR_ARG, {"dimension 1", "9", "10"}},
        {"longer than the whole", create(DRI_SINK, part, 0, all_of_it), DRI_ERR_ARG, {"dimension 0"}},
        {"of another whole", create(DRI_SINK, longer, 0, strip), DRI_ERR_ARG, {"not a subset of", "[20,10]"}},
        {"of another type", create(DRI_SINK, doubles, 0, strip), DRI_ERR_ARG, {"not a subset of", "double"}},
        {"no buffer", create(DRI_SOURCE, whole, 0, strip, 0), DRI_ERR_ARG, {"nbuffs is 0"}},
        {"buffers of a sink", create(DRI_SINK, whole, 0, strip, 1, no_buffers), DRI_ERR_ARG, {"buffs", "stores"}},
        {"a partition that does not fit the last strip",
         create(DRI_SOURCE, whole, 0, exactly_five),
         DRI_ERR_CONSTRAINT,
         {"strip 2", "dimension 0"}},
        {"no output for the handle",
         [&] {
             return DRI_xfer_create_strips("s", DRI_SINK, whole, 0, strip, DRI_ROW_MAJOR, 1, nullptr, nullptr);
         },
         DRI_ERR_ARG,
         {"xfer"}},
    });
    Xfer endpoint;
    expect_success(
        DRI_xfer_create_strips("s", DRI_SOURCE, whole, 0, strip, DRI_ROW_MAJOR, 1, nullptr, endpoint.out()),
        "DRI_xfer_create_strips");
    const DRI_Xfer xfer = endpoint;
    expect_refused({
        {"strip -1",
         makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_xfer_get_strip(xfer, -1, out); }),
         DRI_ERR_ARG,
         {"strip is -1", "0 to 2"}},
        {"strip 3",
         makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_xfer_get_strip(xfer, 3, out); }),
         DRI_ERR_ARG,
         {"strip is 3", "'s'"}},
        {"of no endpoint",
         makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_xfer_get_strip({}, 0, out); }),
         DRI_ERR_HANDLE,
         {"null"}},
        {"no output argument", [=] { return DRI_xfer_get_strip(xfer, 0, nullptr); }, DRI_ERR_ARG, {"dist"}},
    });
}

// Exact pieces apply to one strip. A shorter last strip has no such pieces.
TEST(WrongStrips, ExactPiecesNeedEqualStrips) {
    const int64_t rank = world().rank, size = world().size;
    for (const int64_t strips : {2, 3}) {
        const Gdo whole = make_gdo({2 * size * strips - (strips == 3 ? 1 : 0), 4}, DRI_INT32);
        const DRI_Part_tuple rows{0, 2 * rank, 2 * rank + 2, 0}, columns{0, 0, 4, 0};
        const Dist first =
            make_dist(box_of(whole, {0, 0}, {2 * size, 4}), make_exact({rows, columns}), make_world());
        Xfer endpoint;
        const int code = DRI_xfer_create_strips("exact", DRI_SOURCE, whole, 0, first, DRI_ROW_MAJOR, 1, nullptr,
                                                endpoint.out());
        EXPECT_EQ(code, strips == 3 ? DRI_ERR_ARG : DRI_SUCCESS) << DRI_error_message();
    }
}

// Frames differ between the two sides, so a frame header would have no meaning.
TEST(WrongStrips, StreamsRefuseStrips) {
    const Group all = make_world();
    const Gdo whole = make_gdo({12, 10}, DRI_INT32);
    const Dist first = make_dist(box_of(whole, {0, 0}, {4, 10}), make_blocks(2, 0), all);
    Xfer source;
    expect_success(
        DRI_xfer_create_strips("both", DRI_SOURCE, whole, 0, first, DRI_ROW_MAJOR, 1, nullptr, source.out()),
        "DRI_xfer_create_strips");
    const Xfer sink = make_xfer("both", DRI_SINK, make_dist(whole, make_blocks(2, 1), all));
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    EXPECT_EQ(DRI_commit(all), DRI_ERR_UNSUPPORTED);
    for (const char *word : {"'both'", "strips", "DRI_ATTR_STREAM"})
        EXPECT_NE(std::string(DRI_error_message()).find(word), std::string::npos) << DRI_error_message();
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_STREAM, 0), "DRI_xfer_set_attr");
    commit(all);
}

// All processes of an endpoint must describe the same strips.
TEST(WrongStrips, ProcessesThatDisagreeAllFail) {
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    const Gdo whole = make_gdo({12, 10}, DRI_INT32);
    const Dist first = make_dist(box_of(whole, {0, 0}, {4, 10}), make_blocks(2, 1), all),
               sink_dist = make_dist(whole, make_blocks(2, 0), all);
    const bool odd_one = world().rank == world().size - 1;
    const Gdo own_array = odd_one ? box_of(whole, {0, 0}, {8, 10}) : make_gdo({12, 10}, DRI_INT32);
    Xfer source;
    expect_success(
        DRI_xfer_create_strips("differ", DRI_SOURCE, own_array, 0, first, DRI_ROW_MAJOR, 1, nullptr, source.out()),
        "DRI_xfer_create_strips");
    const Xfer sink = make_xfer("differ", DRI_SINK, sink_dist);
    EXPECT_EQ(DRI_commit(all), DRI_ERR_MISMATCH);
    const std::string message = DRI_error_message();
    for (const char *word : {"'differ'", "source", "of 12", "of 8"})
        EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
}

} // namespace
} // namespace dri::test
