// Wrong calls on descriptions of the Distributed Array Protocol. dap_rules.cpp of the unit tests has the rules.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <limits>

namespace dri::test {
namespace {

// A good description of 10 elements along a dimension in blocks, and 3 along one that is not distributed.
struct GoodDap {
    DRI_Dap dap{};
    std::vector<int64_t> memory = std::vector<int64_t>(30);

    GoodDap() {
        const auto [rank, size] = world();
        DRI_Dap_dim &dim = dap.dim_data[0];
        dim.dist_type = 'b';
        dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_START | DRI_DAP_STOP;
        dim.size = 10;
        dim.proc_grid_size = size;
        dim.proc_grid_rank = rank;
        dim.start = rank == 0 ? 0 : 10;
        dim.stop = 10;
        dap.buffer = memory.data();
        dap.itemsize = sizeof(int64_t);
        dap.ndims = 2;
        dap.shape[0] = dim.stop - dim.start;
        dap.shape[1] = 3;
        dap.strides[0] = 24;
        dap.strides[1] = 8;
    }
};

using Change = std::function<void(DRI_Dap &)>;

// Changes the description on all processes, or on one.
std::function<int()> import_of(const Change &change, DRI_Dap_view view = DRI_DAP_SINK, int only = -1,
                               DRI_Type type = DRI_INT64) {
    return makes<DRI_Dist>([=](DRI_Dist *dist) {
        GoodDap good;
        if (only < 0 || only == world().rank)
            change(good.dap);
        DRI_Layout layout{UINT64_MAX - 1};
        void *origin = &good;
        const int code = DRI_dap_import(&good.dap, type, make_world(), view, dist, &layout, &origin);
        EXPECT_EQ(layout.id, 0u);
        EXPECT_EQ(origin, nullptr);
        return code;
    });
}

void nothing(DRI_Dap &) {}

DRI_Dap_view own_view() { return world().rank == 0 ? DRI_DAP_SINK : DRI_DAP_SOURCE; }

TEST(WrongCallsDap, OfImportsFailAlikeOnAll) {
    const int last = world().size - 1;
    const std::string process = "process " + std::to_string(last);
    static const int64_t beyond[]{0, 3, 10};
    const auto list = [](DRI_Dap &d) {
        DRI_Dap_dim &dim = d.dim_data[1];
        dim.dist_type = 'u';
        dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_INDICES;
        dim.size = 10;
        dim.proc_grid_size = 1;
        dim.indices = beyond;
        dim.nindices = 3;
    };
    const WrongCalls table{
        {"a fault of one process",
         import_of([](DRI_Dap &d) { d.shape[1] = 4, d.dim_data[0].stop = 11; }, DRI_DAP_SINK, last),
         DRI_ERR_ARG,
         {"DRI_dap_import", process + ": dimension 0: stop is 11, but size is 10"}},
        {"no buffer", import_of([](DRI_Dap &d) { d.itemsize = 0; }), DRI_ERR_ARG, {"process 0: the key buffer"}},
        {"another type",
         import_of(nothing, DRI_DAP_SINK, -1, DRI_FLOAT),
         DRI_ERR_ARG,
         {"itemsize is 8, but the elements of the type are 4 bytes apart"}},
        {"no type", import_of(nothing, DRI_DAP_SINK, -1, DRI_Type{}), DRI_ERR_HANDLE, {"process 0"}},
        {"no view", import_of(nothing, DRI_Dap_view{}), DRI_ERR_ARG, {"view is 0"}},
        {"a read-only sink",
         import_of([](DRI_Dap &d) { d.readonly = 1; }, DRI_DAP_SINK, last),
         DRI_ERR_ARG,
         {process + ": the buffer is read-only"}},
        {"a read-only update",
         import_of([](DRI_Dap &d) { d.readonly = 1; }, DRI_DAP_UPDATE),
         DRI_ERR_ARG,
         {"the buffer is read-only"}},
        {"a negative stride",
         import_of([](DRI_Dap &d) { d.strides[1] = -8; }, DRI_DAP_SINK, 0),
         DRI_ERR_ARG,
         {"process 0: dimension 1: the stride is -8 bytes, but must be positive"}},
        {"a stride of half an element",
         import_of([](DRI_Dap &d) { d.strides[1] = 12; }, DRI_DAP_SINK, 0),
         DRI_ERR_ARG,
         {"dimension 1: the stride is 12 bytes, but must be a multiple of the itemsize 8"}},
        {"elements that share memory",
         import_of([](DRI_Dap &d) { d.strides[0] = 16; }, DRI_DAP_SINK, 0),
         DRI_ERR_ARG,
         {"dimension 0: the stride is 16 bytes, but elements of faster dimensions lie up to 16 bytes away"}},
        {"labels",
         import_of(list),
         DRI_ERR_MISMATCH,
         {"dimension 1: process 0 has index 10, but size is 10", "DRI_dap_relabel"}},
        {"NULL",
         makes<DRI_Dist>([](DRI_Dist *dist) {
             DRI_Layout layout;
             void *origin = nullptr;
             return DRI_dap_import(nullptr, DRI_INT64, make_world(), DRI_DAP_SINK, dist, &layout, &origin);
         }),
         DRI_ERR_ARG,
         {"mine is NULL"}},
        {"no output",
         [] {
             GoodDap good;
             DRI_Layout layout;
             void *origin = nullptr;
             return DRI_dap_import(&good.dap, DRI_INT64, make_world(), DRI_DAP_SINK, nullptr, &layout, &origin);
         },
         DRI_ERR_ARG,
         {"dist is NULL"}},
        {"no group",
         [] {
             GoodDap good;
             return DRI_dap_check(&good.dap, {}, nullptr);
         },
         DRI_ERR_HANDLE,
         {}},
    };
    expect_refused_by_all(table);
    if (world().size == 1)
        return;
    const WrongCalls disagreeing{
        {"different views",
         [] { return import_of(nothing, own_view())(); },
         DRI_ERR_MISMATCH,
         {"passes the view"}},
        {"different items",
         [] {
             const bool is_first = world().rank == 0;
             const Change wider = [](DRI_Dap &d) { d.itemsize = 16, d.strides[0] = 48, d.strides[1] = 16; };
             return import_of(is_first ? Change(nothing) : wider, DRI_DAP_SINK, -1,
                              is_first ? DRI_INT64 : DRI_COMPLEX_DOUBLE)();
         },
         DRI_ERR_MISMATCH,
         {"itemsize is 16 on process 1, but 8 on process 0"}},
        {"a periodic process",
         import_of(
             [](DRI_Dap &d) {
                 d.dim_data[0].keys |= DRI_DAP_PERIODIC;
                 d.dim_data[0].periodic = 1;
             },
             DRI_DAP_UPDATE, last),
         DRI_ERR_MISMATCH,
         {"dimension 0: periodic is true on " + process + ", but false on process 0"}},
    };
    expect_refused_by_all(disagreeing);
}

TEST(WrongCallsDap, OfChecksTellTheFaultToAll) {
    const int last = world().size - 1;
    GoodDap good;
    if (world().rank == last)
        good.dap.dim_data[0].stop = 11;
    DRI_Dap_fault fault;
    EXPECT_EQ(DRI_dap_check(&good.dap, make_world(), &fault), DRI_ERR_ARG);
    EXPECT_EQ(fault.rule, DRI_DAP_RULE_STOP_GT_SIZE);
    EXPECT_EQ(std::string(fault.name), "stop_gt_size");
    EXPECT_EQ(std::string(fault.key), "stop");
    EXPECT_EQ(fault.process, last);
    EXPECT_EQ(fault.dim, 0);
    EXPECT_EQ(fault.value, 11);
    EXPECT_EQ(fault.limit, 10);
    EXPECT_EQ(std::string(fault.message),
              "process " + std::to_string(last) + ": dimension 0: stop is 11, but size is 10");
}

// A distribution of 12 elements, or of 12 by 3, with this rule for the first dimension, over all processes.
Dist dist_of(const Rule &rule, int ndims = 1) {
    std::vector<Rule> rules(static_cast<size_t>(ndims));
    rules[0] = rule;
    const std::vector<int64_t> sizes{12, 3};
    return make_dist(make_gdo({sizes.begin(), sizes.begin() + ndims}, DRI_COMPLEX_FLOAT), make_part(rules),
                     make_world());
}

std::function<int()> export_of(DRI_Dist dist, DRI_Layout layout = DRI_ROW_MAJOR,
                               const int64_t (*boundary)[2] = nullptr, const int *periodic = nullptr,
                               int rank = 0) {
    return [=] {
        DRI_Dap dap;
        dap.owner = &dap;
        const int code = DRI_dap_export(dist, rank, layout, nullptr, boundary, periodic, &dap);
        EXPECT_EQ(dap.owner, nullptr);
        return code;
    };
}

TEST(WrongCallsDap, OfExportsSayWhatTheProtocolCannot) {
    const int size = world().size;
    const Dist whole = dist_of({}), blocks = dist_of({.kind = DRI_BLOCK}),
               cyclic = dist_of({.kind = DRI_BLOCK_CYCLIC, .block = 2});
    const Dist wrapped =
        dist_of({.kind = DRI_BLOCK, .left = 1, .right = 1, .left_edge = DRI_WRAP, .right_edge = DRI_WRAP});
    const Dist around = dist_of({.kind = DRI_BLOCK_CYCLIC, .block = 2, .left = 1});
    Layout split;
    expect_success(DRI_layout_with_complex(DRI_ROW_MAJOR, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    static const int64_t negative[][2]{{0, -1}}, wide[][2]{{13, 0}}, one[][2]{{1, 1}};
    static const int two[]{2}, yes[]{1};
    const WrongCalls table{
        {"overlap beyond the array",
         export_of(wrapped),
         DRI_ERR_UNSUPPORTED,
         {"dimension 0", "exceeds the array of 12"}},
        {"overlap of cyclic blocks",
         export_of(around),
         DRI_ERR_UNSUPPORTED,
         {"dimension 0: overlap of 1 and 0 on cyclic"}},
        {"a split layout", export_of(blocks, split), DRI_ERR_UNSUPPORTED, {"the layout is split"}},
        {"negative boundary", export_of(blocks, DRI_ROW_MAJOR, negative), DRI_ERR_ARG, {"boundary is (0, -1)"}},
        {"wide boundary", export_of(blocks, DRI_ROW_MAJOR, wide), DRI_ERR_ARG, {"padding is (13, 0)"}},
        {"a period of 2", export_of(blocks, DRI_ROW_MAJOR, nullptr, two), DRI_ERR_ARG, {"periodic is 2"}},
        {"boundary of cyclic blocks",
         export_of(cyclic, DRI_ROW_MAJOR, one),
         DRI_ERR_ARG,
         {"dimension 0: it becomes 'c'"}},
        {"period of cyclic blocks",
         export_of(cyclic, DRI_ROW_MAJOR, nullptr, yes),
         DRI_ERR_ARG,
         {"it becomes 'c'"}},
        {"another process",
         export_of(blocks, DRI_ROW_MAJOR, nullptr, nullptr, size),
         DRI_ERR_ARG,
         {"process " + std::to_string(size) + " is not in the group"}},
        {"no layout", export_of(blocks, DRI_Layout{}), DRI_ERR_HANDLE, {}},
        {"no distribution", export_of({}), DRI_ERR_HANDLE, {}},
        {"no output",
         [&] { return DRI_dap_export(blocks, 0, DRI_ROW_MAJOR, nullptr, nullptr, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"dap is NULL"}},
    };
    expect_refused(table);
    if (size == 1)
        return;
    const int64_t first = world().rank == 0 ? 0 : 12 / size * world().rank,
                  end = world().rank == size - 1 ? 12 : first + 12 / size;
    const Dist crossed =
        make_dist(make_gdo({12, 2}), make_exact({{0, 12 - end, 12 - first, 0}, {0, 0, 2, 0}}), make_world());
    const Dist uneven = dist_of({.kind = DRI_BLOCK, .left = 1});
    const Dist wider = dist_of({.kind = DRI_BLOCK, .left = 12, .right = 12});
    const Dist none = make_dist(make_gdo({}), make_part(std::vector<Rule>{}), make_world());
    const WrongCalls several{
        {"pieces that are no grid", export_of(crossed), DRI_ERR_UNSUPPORTED, {"form no grid"}},
        {"overlap on one side",
         export_of(uneven),
         DRI_ERR_UNSUPPORTED,
         {"dimension 0: overlap between parts 0 and 1"}},
        {"copies without a dimension", export_of(none), DRI_ERR_UNSUPPORTED, {"array without dimensions"}},
    };
    expect_refused(several);
    // Of two parts the overlap ends at the edge of the array, with the neighbour's part.
    if (size > 2)
        expect_refused({{"overlap over the neighbour",
                         export_of(wider),
                         DRI_ERR_UNSUPPORTED,
                         {"dimension 0: overlap between parts 0 and 1", "own"}}});
}

// What exports say beside the conformance cases.
TEST(DapExports, CopiesAndPhasesAreLists) {
    const auto [rank, size] = world();
    DRI_Dap dap;
    const Dist copies = dist_of({}, 2);
    expect_success(DRI_dap_export(copies, rank, DRI_ROW_MAJOR, &dap, nullptr, nullptr, &dap), "DRI_dap_export");
    EXPECT_EQ(dap.dim_data[0].dist_type, size > 1 ? 'u' : 'b');
    EXPECT_EQ(dap.dim_data[0].proc_grid_size, size);
    EXPECT_EQ(dap.dim_data[0].proc_grid_rank, rank);
    EXPECT_EQ(dap.dim_data[1].dist_type, 'b');
    EXPECT_EQ(dap.shape[0], 12);
    dap.buffer = &dap;
    expect_success(DRI_dap_check(&dap, make_world(), nullptr), "DRI_dap_check");
    DRI_dap_free(&dap);
    const Dist phased = dist_of({.kind = DRI_BLOCK_CYCLIC, .nparts = size, .block = 5, .phase = size - 1});
    expect_success(DRI_dap_export(phased, rank, DRI_ROW_MAJOR, &dap, nullptr, nullptr, &dap), "DRI_dap_export");
    EXPECT_EQ(dap.dim_data[0].dist_type, size > 1 ? 'u' : 'c');
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < 12 && size > 1; ++i)
        if ((i / 5 + size - 1) % size == rank)
            expected.push_back(i);
    EXPECT_EQ(std::vector<int64_t>(dap.dim_data[0].indices, dap.dim_data[0].indices + dap.dim_data[0].nindices),
              expected);
    DRI_dap_free(&dap);
}

} // namespace
} // namespace dri::test
