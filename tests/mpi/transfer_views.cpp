// Buffers as memory with strides: each element of a view must be where the oracle says, with its index.
#include "support/case_part.hpp"
#include "support/library.hpp"
#include "support/strip.hpp"
#include "support/world.hpp"

#include <map>

namespace dri::test {
namespace {

// Whether one stride describes the owned indices of a row, found by looking at all of them.
bool is_even(const ShownRow &row) {
    std::vector<int64_t> owned, at_local;
    for (size_t i = 0; i < row.index.size(); ++i)
        if (row.owned[i]) {
            owned.push_back(row.index[i]);
            at_local.push_back(static_cast<int64_t>(i));
        }
    for (size_t i = 1; i < owned.size(); ++i)
        if (at_local[i] != at_local[i - 1] + 1 || owned[i] == owned[i - 1] ||
            owned[i] - owned[i - 1] != owned[1] - owned[0])
            return false;
    const bool surrounded = owned.size() < row.index.size();
    return !surrounded || owned.size() < 2 || owned[1] - owned[0] == 1;
}

// The owned elements of a view: offset from the buffer's start, in elements, to the number in the root object.
std::map<int64_t, int64_t> elements_of(const DRI_View &view, int64_t first, const Dims &box, const Dims &root) {
    std::map<int64_t, int64_t> elements;
    Dims sizes;
    for (size_t d = 0; d < root.size(); ++d)
        sizes.push_back(view.range[d].size);
    for_each_index(sizes, [&](const Dims &i) {
        int64_t offset = first, number = 0;
        for (size_t d = 0; d < root.size(); ++d) {
            offset += i[d] * view.step[d];
            number = number * root[d] + box[d] + view.range[d].first + i[d] * view.range[d].stride;
        }
        elements[offset] = number;
    });
    return elements;
}

void expect_view(const SideOracle &oracle, const planner::Side &side, const SideSpec &spec, const Dims &root,
                 DRI_Xfer xfer) {
    const int position = *side.dist->group().position(world().rank);
    bool even = true;
    for (size_t d = 0; d < root.size(); ++d)
        even = even && is_even(oracle.row(position, d));
    DRI_View view;
    const int code = DRI_xfer_get_view(xfer, &view);
    if (!even) {
        EXPECT_EQ(code, DRI_ERR_UNSUPPORTED);
        EXPECT_NE(std::string(DRI_error_message()).find("evenly spaced"), std::string::npos);
        return;
    }
    expect_success(code, "DRI_xfer_get_view");
    EXPECT_EQ(view.ndims, std::ssize(root));
    std::map<int64_t, int64_t> wanted;
    oracle.for_each_offset(position, root, [&](int64_t number, int64_t offset, bool owned) {
        if (owned)
            wanted[offset] = number;
    });
    const auto *const buffer = static_cast<const std::byte *>(static_cast<const void *>(buffer_of<void>(xfer)));
    const int64_t bytes = static_cast<const std::byte *>(view.data) - buffer;
    EXPECT_EQ(bytes % view.element_bytes, 0);
    Dims box = spec.offset;
    for (size_t d = box.size(); d < root.size(); ++d)
        box.push_back(0);
    EXPECT_EQ(elements_of(view, bytes / view.element_bytes, box, root), wanted);
    const Dims extents = oracle.extents(position);
    for (size_t d = 0; d < root.size(); ++d)
        EXPECT_EQ(view.left[d] + view.range[d].size + view.right[d], extents[d]) << "dimension " << d;
    for (size_t d = root.size(); d < DRI_MAX_DIMS; ++d)
        EXPECT_EQ(view.range[d].size + view.step[d] + view.left[d], 0);
}

void expect_views(const std::string &line) {
    SCOPED_TRACE(line);
    const CaseData data(case_of(line));
    const TransferCase &c = data.transfer();
    const CasePart from(c, DRI_SOURCE), to(c, DRI_SINK);
    CaseEndpoint source, sink;
    if (from)
        source = from.declare("viewed");
    if (to)
        sink = to.declare("viewed");
    commit(make_world());
    DRI_View view;
    if (to) {
        EXPECT_EQ(DRI_xfer_get_view(sink.xfer, &view), DRI_ERR_STATE) << "before the first frame";
    }
    if (from || to)
        expect_success(DRI_do("viewed", DRI_XFER_NULL), "DRI_do");
    if (from)
        expect_view(data.source_oracle(), data.source(), c.source, c.root, source.xfer);
    if (to)
        expect_view(data.sink_oracle(), data.sink(), c.sink, c.root, sink.xfer);
}

TEST(Views, ShowEveryOwnedElement) {
    for (const char *line : {
             "float [14,9] block,* rm -> *,block 10",
             "int16 [] - rm over 0 -> - rm over 0",
             "double [13,9] block<2z:1w>,* rm/p16 -> *<1r:3>,block<1:1> 10 buffers=2",
             "complex-float [11,8] block,* rm/split -> *,block<1z:0> cm/p6/split",
             "int32 [17,5] cyclic(0,1),* rm -> *,cyclic(0,3) cm",
             "int32 [17,5] cyclic(0,1)<1:0>,* rm -> *,block s40:3",
             "int8 [9,4] at[2,1]+[6,3] block,* rm -> at[1,0]+[8,4] *,block rm",
             "float [5,3,4] *,block,* 201 -> block,*,* 120/p5 over 0",
             "int32 [2,9] block,* rm -> *,block rm",
             "int16 [12] block rm -> idx(2:5:8) rm over 0",
             "int16 [12] block rm -> idx(0-3:7:9) rm over 0",
             "int16 [12] block rm -> idx(4:4) rm over 0",
         })
        expect_views(line);
}

// A list that runs downwards has a negative stride.
TEST(Views, MayRunDownwards) {
    const int64_t list[]{10, 7, 4, 1};
    const Group mine = make_group({world().rank});
    const Gdo gdo = make_gdo({12}, DRI_INT32);
    const Dist all = make_dist(gdo, make_part({{}}), mine),
               some = make_dist(gdo, make_part({{.kind = DRI_INDICES, .indices = list, .nindices = 4}}), mine);
    const Xfer source = make_xfer("down", DRI_SOURCE, all), sink = make_xfer("down", DRI_SINK, some);
    commit(mine);
    for (int32_t i = 0; i < 12; ++i)
        buffer_of<int32_t>(source)[i] = i;
    expect_success(DRI_do("down", DRI_XFER_NULL), "DRI_do");
    DRI_View view;
    expect_success(DRI_xfer_get_view(sink, &view), "DRI_xfer_get_view");
    EXPECT_EQ(view.range[0].first, 10);
    EXPECT_EQ(view.range[0].stride, -3);
    EXPECT_EQ(view.range[0].size, 4);
    for (int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(static_cast<const int32_t *>(view.data)[i * view.step[0]], 10 - 3 * i);
}

// Strips of 3, 3 and 1 rows: the view is that of the strip in the buffer.
TEST(Views, FollowStrips) {
    const Group mine = make_group({world().rank});
    const Gdo whole = make_gdo({7, 4}, DRI_INT32);
    const int64_t at[]{0, 0}, sizes[]{3, 4};
    Gdo first;
    expect_success(DRI_gdo_subset(whole, at, sizes, first.out()), "DRI_gdo_subset");
    const Part part = make_part({{}, {}});
    const Dist strip = make_dist(first, part, mine), all = make_dist(whole, part, mine);
    Xfer source;
    expect_success(
        DRI_xfer_create_strips("striped", DRI_SOURCE, whole, 0, strip, DRI_COL_MAJOR, 1, nullptr, source.out()),
        "DRI_xfer_create_strips");
    const Xfer sink = make_xfer("striped", DRI_SINK, all);
    commit(mine);
    for (int64_t k = 0; k < 3; ++k) {
        DRI_View view;
        expect_success(DRI_xfer_get_view(source, &view), "DRI_xfer_get_view");
        EXPECT_EQ(view.range[0].size, k < 2 ? 3 : 1);
        EXPECT_EQ(view.step[1], k < 2 ? 3 : 1);
        for (int64_t i = 0; i < view.range[0].size; ++i)
            for (int64_t j = 0; j < 4; ++j)
                static_cast<int32_t *>(view.data)[i * view.step[0] + j * view.step[1]] =
                    static_cast<int32_t>(4 * (3 * k + i) + j);
        if (k < 2)
            expect_success(DRI_do(nullptr, source), "DRI_do");
    }
    expect_success(DRI_start(nullptr, sink), "DRI_start");
    expect_success(DRI_do(nullptr, source), "DRI_do");
    expect_success(DRI_wait(nullptr, sink), "DRI_wait");
    for (int32_t i = 0; i < 28; ++i)
        EXPECT_EQ(buffer_of<int32_t>(sink)[i], i);
}

} // namespace
} // namespace dri::test
