// Wrong calls about split layouts, conversions and scales.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dri::test {
namespace {

auto with_complex(DRI_Layout layout, int format) {
    return makes<DRI_Layout>([=](DRI_Layout *out) {
        return DRI_layout_with_complex(layout, static_cast<DRI_Complex_format>(format), out);
    });
}

Layout split_of(DRI_Layout layout) {
    Layout split;
    expect_success(DRI_layout_with_complex(layout, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    return split;
}

class WrongFormats : public testing::Test {
protected:
    Dist dist(DRI_Type type) { return make_dist(make_gdo({6, 4}, type), make_blocks(2, 0), alone_); }
    Group alone_ = make_group({world().rank}), world_ = make_world();
};

TEST_F(WrongFormats, LayoutsAreRefused) {
    Layout gone = split_of(DRI_ROW_MAJOR);
    const DRI_Layout old = gone;
    gone.reset();
    const Layout split = split_of(DRI_ROW_MAJOR);
    const DRI_Layout s = split;
    const Dist floats = dist(DRI_FLOAT), complexes = dist(DRI_COMPLEX_FLOAT);
    const DRI_Dist f = floats, c = complexes;
    const int me = world().rank;
    const auto strides = [=](DRI_Dist d) {
        return [=] {
            int64_t out[2];
            return DRI_layout_get_strides(s, d, me, out);
        };
    };
    const auto plane = [](DRI_Layout layout, DRI_Dist d, int rank) {
        return [=] {
            int64_t out;
            return DRI_layout_get_plane(layout, d, rank, &out);
        };
    };
    const auto end = [=](DRI_Dist d) {
        return makes<DRI_Xfer>(
            [=](DRI_Xfer *out) { return DRI_xfer_create("split", DRI_SINK, d, s, 1, nullptr, out); });
    };
    expect_refused({
        {"format 2", with_complex(DRI_ROW_MAJOR, 2), DRI_ERR_ARG, {"2", "DRI_SPLIT"}},
        {"format -1", with_complex(DRI_ROW_MAJOR, -1), DRI_ERR_ARG, {"-1"}},
        {"null layout", with_complex({}, DRI_SPLIT), DRI_ERR_HANDLE, {"layout"}},
        {"a destroyed layout", with_complex(old, DRI_SPLIT), DRI_ERR_HANDLE, {"layout"}},
        {"a group for a layout",
         with_complex(as<DRI_Layout>(alone_.get()), DRI_SPLIT),
         DRI_ERR_HANDLE,
         {"layout", "group"}},
        {"no output argument",
         [] { return DRI_layout_with_complex(DRI_ROW_MAJOR, DRI_SPLIT, nullptr); },
         DRI_ERR_ARG,
         {"complex_layout"}},
        {"strides of real numbers", strides(f), DRI_ERR_ARG, {"split", "float"}},
        {"an endpoint of real numbers", end(f), DRI_ERR_ARG, {"split", "float"}},
        {"a plane of real numbers", plane(DRI_ROW_MAJOR, f, me), DRI_ERR_ARG, {"float", "imaginary"}},
        {"a plane of real numbers, split", plane(s, f, me), DRI_ERR_ARG, {"float"}},
        {"a plane of another process", plane(s, c, me + 1), DRI_ERR_ARG, {"process " + std::to_string(me + 1)}},
        {"a plane without a layout", plane({}, c, me), DRI_ERR_HANDLE, {"layout"}},
        {"a plane without a distribution", plane(s, {}, me), DRI_ERR_HANDLE, {"distribution"}},
        {"no output for the plane",
         [=] { return DRI_layout_get_plane(s, c, me, nullptr); },
         DRI_ERR_ARG,
         {"components"}},
    });
    EXPECT_EQ(strides(c)(), DRI_SUCCESS);
}

TEST_F(WrongFormats, ConversionsAndScalesAreRefused) {
    Type record;
    EXPECT_EQ(DRI_type_create(4, 4, record.out()), DRI_SUCCESS);
    const Dist floats = dist(DRI_FLOAT), records = dist(record);
    const Xfer source = make_xfer("scaled", DRI_SOURCE, floats), sink = make_xfer("scaled", DRI_SINK, floats),
               other = make_xfer("records", DRI_SINK, records);
    const DRI_Xfer out = source, in = sink, r = other;
    const auto convert = [](DRI_Xfer xfer, int64_t value) {
        return [=] { return DRI_xfer_set_attr(xfer, DRI_ATTR_CONVERT, value); };
    };
    const auto scale = [](DRI_Xfer xfer, double factor) {
        return [=] { return DRI_xfer_set_scale(xfer, factor); };
    };
    expect_refused({
        {"a conversion of 2", convert(in, 2), DRI_ERR_ARG, {"2"}},
        {"a conversion of -1", convert(in, -1), DRI_ERR_ARG, {"-1"}},
        {"a source that converts", convert(out, 1), DRI_ERR_ARG, {"source", "'scaled'"}},
        {"a source with a scale", scale(out, 2), DRI_ERR_ARG, {"source", "'scaled'"}},
        {"a scale that is no number", scale(in, std::nan("")), DRI_ERR_ARG, {"nan", "finite"}},
        {"an infinite scale", scale(in, -std::numeric_limits<double>::infinity()), DRI_ERR_ARG, {"inf"}},
        {"a scale of records", scale(r, 2), DRI_ERR_ARG, {"record", "2"}},
        {"a scale of null", scale({}, 2), DRI_ERR_HANDLE, {}},
        {"a scale of a group", scale(as<DRI_Xfer>(alone_.get()), 2), DRI_ERR_HANDLE, {}},
    });
    EXPECT_EQ(scale(r, 1)(), DRI_SUCCESS);
    EXPECT_EQ(scale(in, 0)(), DRI_SUCCESS);
    Xfer records_source = make_xfer("records", DRI_SOURCE, records);
    commit(alone_);
    expect_refused({
        {"a scale after the commit", scale(in, 1), DRI_ERR_STATE, {"'scaled'"}},
        {"a conversion after the commit", convert(in, 1), DRI_ERR_STATE, {"'scaled'"}},
    });
}

// Declares both endpoints over the world and commits.
std::function<int()> committing(DRI_Dist from, DRI_Dist to, bool convert, double scale) {
    return [=] {
        const Xfer source = make_xfer("differ", DRI_SOURCE, from), sink = make_xfer("differ", DRI_SINK, to);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, convert ? 1 : 0), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_scale(sink, scale), "DRI_xfer_set_scale");
        return DRI_commit(make_world());
    };
}

TEST_F(WrongFormats, TypesWithoutAConversionAreRefusedByAll) {
    Type record;
    EXPECT_EQ(DRI_type_create(4, 4, record.out()), DRI_SUCCESS);
    const auto over_all = [&](DRI_Type type, const std::vector<int64_t> &sizes = {6, 4}) {
        return make_dist(make_gdo(sizes, type), make_blocks(2, 1), world_);
    };
    const Dist reals = over_all(DRI_FLOAT), complexes = over_all(DRI_COMPLEX_FLOAT), records = over_all(record),
               integers = over_all(DRI_INT16), longer = over_all(DRI_INT16, {7, 4});
    const bool last = world().rank == world().size - 1;
    WrongCalls table{
        {"real to complex",
         committing(reals, complexes, true, 1),
         DRI_ERR_MISMATCH,
         {"'differ'", "there is no conversion", "complex float"}},
        {"complex to real",
         committing(complexes, integers, true, 2),
         DRI_ERR_MISMATCH,
         {"complex float", "int16"}},
        {"a record to a number", committing(records, reals, true, 1), DRI_ERR_MISMATCH, {"record", "float"}},
        {"a number to a record", committing(reals, records, true, 1), DRI_ERR_MISMATCH, {"record", "float"}},
        {"without DRI_ATTR_CONVERT", committing(integers, reals, false, 1), DRI_ERR_MISMATCH, {"int16", "float"}},
        {"other sizes", committing(reals, longer, true, 1), DRI_ERR_MISMATCH, {"[6,4]", "[7,4]"}},
        {"a scale beyond float",
         committing(reals, reals, false, 1e300),
         DRI_ERR_ARG,
         {"'differ'", "scale", "1e+300", "float", "3.4"}},
        {"a negative scale beyond float",
         committing(integers, integers, false, -3.5e38),
         DRI_ERR_ARG,
         {"-3.5e+38", "int16", "float"}},
    };
    if (world().size > 1) {
        const std::string who = "process " + std::to_string(world().size - 1);
        table.push_back({"one process converts and others do not",
                         committing(integers, reals, last, 1),
                         DRI_ERR_MISMATCH,
                         {"'differ'", who, "DRI_ATTR_CONVERT is 0", "but 1"}});
        table.push_back({"one process has another scale",
                         committing(integers, reals, true, last ? 0.5 : 2),
                         DRI_ERR_MISMATCH,
                         {"'differ'", who, "0.5", "2"}});
    }
    expect_refused_by_all(table);
}

// Scales are limited by the type of the product, not by a float on one side.
TEST_F(WrongFormats, LargeScalesAreAllowedWhereTheirProductIsADouble) {
    const Dist reals = make_dist(make_gdo({6, 4}), make_blocks(2, 1), world_);
    const Dist doubles = make_dist(make_gdo({6, 4}, DRI_DOUBLE), make_blocks(2, 1), world_);
    const float largest_float = std::numeric_limits<float>::max();
    EXPECT_EQ(committing(reals, reals, false, -double{largest_float})(), DRI_SUCCESS) << DRI_error_message();
    const Xfer source = make_xfer("large", DRI_SOURCE, doubles), sink = make_xfer("large", DRI_SINK, reals);
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_scale(sink, 1e300), "DRI_xfer_set_scale");
    commit(world_);
    int64_t owned = 0;
    expect_success(DRI_dist_get_count(doubles, world().rank, &owned, nullptr), "DRI_dist_get_count");
    std::fill_n(buffer_of<double>(source), owned, 1e-300);
    expect_success(DRI_do("large", DRI_XFER_NULL), "DRI_do");
    for (int64_t i = 0; i < owned; ++i)
        EXPECT_EQ(buffer_of<float>(sink)[i], 1.0f);
}

} // namespace
} // namespace dri::test
