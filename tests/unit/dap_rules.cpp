// The rules of descriptions: each is broken alone, and the first of several is found. Nothing here starts the
// library.
#include <dri/dap.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace dri::test {
namespace {

constexpr uint32_t common = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK;

DRI_Dap_dim block_of(int64_t size, int grid, int rank, int64_t start, int64_t stop, int64_t left = 0,
                     int64_t right = 0) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'b';
    dim.keys = common | DRI_DAP_START | DRI_DAP_STOP | DRI_DAP_PADDING | DRI_DAP_PERIODIC;
    dim.size = size;
    dim.proc_grid_size = grid;
    dim.proc_grid_rank = rank;
    dim.start = start;
    dim.stop = stop;
    dim.padding[0] = left;
    dim.padding[1] = right;
    return dim;
}

DRI_Dap_dim cyclic_of(int64_t size, int grid, int rank, int64_t start, int64_t block = 1) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'c';
    dim.keys = common | DRI_DAP_START | DRI_DAP_BLOCK_SIZE;
    dim.size = size;
    dim.proc_grid_size = grid;
    dim.proc_grid_rank = rank;
    dim.start = start;
    dim.block_size = block;
    return dim;
}

DRI_Dap_dim list_of(int64_t size, int grid, int rank, const std::vector<int64_t> &indices,
                    bool one_to_one = false) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'u';
    dim.keys = common | DRI_DAP_INDICES | DRI_DAP_ONE_TO_ONE;
    dim.size = size;
    dim.proc_grid_size = grid;
    dim.proc_grid_rank = rank;
    dim.indices = indices.data();
    dim.nindices = static_cast<int64_t>(indices.size());
    dim.one_to_one = one_to_one;
    return dim;
}

int64_t element;

DRI_Dap describe(const std::vector<DRI_Dap_dim> &dims, const std::vector<int64_t> &shape) {
    DRI_Dap dap{};
    dap.buffer = &element;
    dap.itemsize = 8;
    dap.ndims = static_cast<int32_t>(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
        dap.dim_data[d] = dims[d];
        dap.shape[d] = shape[d];
    }
    return dap;
}

struct Broken {
    const char *rule, *key;
    int dim;
    std::function<void(DRI_Dap &)> breaks;
    const char *message;
};

const std::vector<int64_t> indices{7, 2, 3};

DRI_Dap good() {
    return describe({block_of(50, 3, 1, 10, 30, 2, 3), cyclic_of(9, 4, 1, 2, 2), list_of(8, 2, 1, indices), {}},
                    {20, 2, 3, 6});
}

const Broken broken[]{
    {"missing_key", "buffer", -1, [](DRI_Dap &d) { d.itemsize = 0; }, "the key buffer is missing"},
    {"missing_key", "stop", 0, [](DRI_Dap &d) { d.dim_data[0].keys &= ~uint32_t{DRI_DAP_STOP}; },
     "dimension 0: the key stop is missing"},
    {"missing_key", "dist_type", 0, [](DRI_Dap &d) { d.dim_data[0].dist_type = 0; },
     "the key dist_type is missing"},
    {"missing_key", "indices", 2, [](DRI_Dap &d) { d.dim_data[2].keys = common; }, "dimension 2: the key indices"},
    {"version", "__version__", -1, [](DRI_Dap &d) { std::strcpy(d.version, "1.0.0"); }, "'1.0.0'"},
    {"version", "__version__", -1, [](DRI_Dap &d) { std::strcpy(d.version, "0.10"); }, "'0.10'"},
    {"version", "__version__", -1, [](DRI_Dap &d) { std::strcpy(d.version, "0.010.0"); }, "'0.010.0'"},
    {"version", "__version__", -1, [](DRI_Dap &d) { std::strcpy(d.version, "0.1.0a"); }, "'0.1.0a'"},
    {"version", "__version__", -1, [](DRI_Dap &d) { std::memcpy(d.version, "0.10.0.000000000", 16); },
     "'0.10.0.0"},
    {"buffer", "buffer", -1, [](DRI_Dap &d) { d.buffer = nullptr; }, "the buffer is NULL, but has elements"},
    {"dist_type", "dist_type", 1, [](DRI_Dap &d) { d.dim_data[1].dist_type = 'n'; },
     "dimension 1: dist_type is 'n'"},
    {"type", "size", 0, [](DRI_Dap &d) { d.dim_data[0].unreadable = DRI_DAP_SIZE; },
     "dimension 0: size is no integer"},
    {"size", "size", 1, [](DRI_Dap &d) { d.dim_data[1].size = -1; }, "dimension 1: size is -1, but must be >= 0"},
    {"proc_grid_size", "proc_grid_size", 2, [](DRI_Dap &d) { d.dim_data[2].proc_grid_size = 0; },
     "dimension 2: proc_grid_size is 0, but must be >= 1"},
    {"proc_grid_rank", "proc_grid_rank", 2, [](DRI_Dap &d) { d.dim_data[2].proc_grid_rank = 2; },
     "dimension 2: proc_grid_rank is 2, but proc_grid_size is 2"},
    {"proc_grid_rank", "proc_grid_rank", 0, [](DRI_Dap &d) { d.dim_data[0].proc_grid_rank = -1; }, "is -1"},
    {"start", "start", 0, [](DRI_Dap &d) { d.dim_data[0].start = -1; },
     "dimension 0: start is -1, but must be >= 0"},
    {"stop_lt_start", "stop", 0, [](DRI_Dap &d) { d.dim_data[0].stop = 9; }, "stop is 9, but start is 10"},
    {"stop_gt_size", "stop", 0, [](DRI_Dap &d) { d.dim_data[0].stop = 51; },
     "dimension 0: stop is 51, but size is 50"},
    {"start_rank0", "start", 0, [](DRI_Dap &d) { d.dim_data[0].proc_grid_rank = 0; },
     "start is 10, but must be 0"},
    {"start_cyclic", "start", 1, [](DRI_Dap &d) { d.dim_data[1].start = 1; }, "start is 1, but must be"},
    {"padding", "padding", 0, [](DRI_Dap &d) { d.dim_data[0].padding[1] = -1; }, "padding is (2, -1)"},
    {"padding", "padding", 0, [](DRI_Dap &d) { d.dim_data[0].padding[1] = 19; }, "start is 10 and stop is 30"},
    {"padding", "padding", 0, [](DRI_Dap &d) { d.dim_data[0].unreadable = DRI_DAP_PADDING; }, "no pair"},
    {"periodic", "periodic", 0, [](DRI_Dap &d) { d.dim_data[0].periodic = 2; },
     "periodic is 2, but must be 0 or 1"},
    {"periodic", "periodic", 0, [](DRI_Dap &d) { d.dim_data[0].unreadable = DRI_DAP_PERIODIC; }, "no truth value"},
    {"block_size", "block_size", 1, [](DRI_Dap &d) { d.dim_data[1].block_size = -10; },
     "dimension 1: block_size is -10, but must be >= 1"},
    {"one_to_one", "one_to_one", 2, [](DRI_Dap &d) { d.dim_data[2].one_to_one = -1; }, "one_to_one is -1"},
    {"indices_buffer", "indices", 2, [](DRI_Dap &d) { d.dim_data[2].unreadable = DRI_DAP_INDICES; }, "no buffer"},
    {"indices_buffer", "indices", 2, [](DRI_Dap &d) { d.dim_data[2].indices = nullptr; }, "indices is NULL"},
    {"indices_buffer", "indices", 2, [](DRI_Dap &d) { d.dim_data[2].nindices = -1; }, "-1"},
    {"indices_not_unique", "indices", 2,
     [](DRI_Dap &d) {
         static const int64_t twice[]{4, 2, 4};
         d.dim_data[2].indices = twice;
     },
     "dimension 2: indices has 4 more than once"},
    {"ndim", "dim_data", -1, [](DRI_Dap &d) { d.ndims = 9; }, "is 9, but must be 0 to 8"},
    {"ndim", "dim_data", -1, [](DRI_Dap &d) { d.ndims = -1; }, "is -1, but must be 0 to 8"},
    {"shape", "stop", 0, [](DRI_Dap &d) { d.shape[0] = 19; }, "holds 20 indices, but the buffer has 19 elements"},
    {"shape", "start", 1, [](DRI_Dap &d) { d.shape[1] = 3; }, "holds 2 indices, but the buffer has 3 elements"},
    {"shape", "indices", 2, [](DRI_Dap &d) { d.shape[2] = 4; }, "holds 3 indices, but the buffer has 4 elements"},
    {"shape", "buffer", 3, [](DRI_Dap &d) { d.shape[3] = -1; }, "dimension 3: the buffer has -1 elements"},
};

TEST(DapRules, EachBrokenOneIsFound) {
    DRI_Dap_fault fault;
    const DRI_Dap whole = good();
    ASSERT_EQ(DRI_dap_validate(&whole, &fault), DRI_SUCCESS) << fault.message;
    EXPECT_EQ(fault.rule, DRI_DAP_VALID);
    EXPECT_EQ(std::string(fault.name) + fault.key + fault.message, "");
    EXPECT_EQ(fault.dim, -1);
    for (const Broken &one : broken) {
        DRI_Dap dap = good();
        one.breaks(dap);
        EXPECT_EQ(DRI_dap_validate(&dap, &fault), DRI_ERR_ARG) << one.rule;
        EXPECT_EQ(std::string(fault.name), one.rule) << fault.message;
        EXPECT_EQ(std::string(fault.key), one.key);
        EXPECT_EQ(fault.dim, one.dim);
        EXPECT_EQ(fault.process, -1);
        EXPECT_NE(std::string(fault.message).find(one.message), std::string::npos) << fault.message;
        EXPECT_EQ(DRI_error_message(), "DRI_dap_validate: " + std::string(fault.message));
        EXPECT_EQ(DRI_dap_validate(&dap, nullptr), DRI_ERR_ARG);
    }
}

TEST(DapRules, OfSeveralTheFirstIsFound) {
    constexpr size_t n = std::size(broken);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            DRI_Dap_fault first, second, both;
            DRI_Dap a = good(), b = good(), c = good();
            broken[i].breaks(a);
            broken[j].breaks(b);
            broken[i].breaks(c);
            broken[j].breaks(c);
            DRI_dap_validate(&a, &first);
            DRI_dap_validate(&b, &second);
            DRI_dap_validate(&c, &both);
            // Where both concern one dimension, the second may mend or hide the first, or make another fault.
            if (first.dim != second.dim && first.rule != DRI_DAP_RULE_NDIM && second.rule != DRI_DAP_RULE_NDIM) {
                EXPECT_EQ(both.rule, std::min(first.rule, second.rule)) << broken[i].rule << " " << broken[j].rule;
            }
        }
}

TEST(DapRules, WhatIsAllowed) {
    const std::vector<int64_t> none;
    const DRI_Dap_dim dims[]{
        block_of(10, 1, 0, 0, 10, 2, 2), // padding of an undistributed dimension
        block_of(10, 3, 2, 10, 10),      // an empty one
        block_of(0, 3, 0, 0, 0),         block_of(0, 3, 2, 0, 0), cyclic_of(3, 4, 3, 3), // start == size
        cyclic_of(3, 4, 3, 100),                                                         // beyond
        cyclic_of(0, 3, 2, 2),           list_of(5, 1, 0, none),  list_of(100, 1, 0, indices), {},
    };
    for (const DRI_Dap_dim &dim : dims)
        EXPECT_EQ(DRI_dap_validate_dim(&dim, 0, -1, nullptr), DRI_SUCCESS) << DRI_error_message();
    DRI_Dap dap = good();
    for (const char *const version : {"", "0.9.0", "0.10.0", "0.0.123"}) {
        std::strcpy(dap.version, version);
        EXPECT_EQ(DRI_dap_validate(&dap, nullptr), DRI_SUCCESS) << DRI_error_message();
    }
    dap.dim_data[0].unreadable = DRI_DAP_BLOCK_SIZE | DRI_DAP_INDICES; // keys of other kinds
    dap.dim_data[1].unreadable = DRI_DAP_STOP;
    EXPECT_EQ(DRI_dap_validate(&dap, nullptr), DRI_SUCCESS) << DRI_error_message();
    dap = describe({}, {});
    EXPECT_EQ(DRI_dap_validate(&dap, nullptr), DRI_SUCCESS) << DRI_error_message();
    dap = describe({block_of(10, 2, 1, 10, 10)}, {0});
    dap.buffer = nullptr;
    EXPECT_EQ(DRI_dap_validate(&dap, nullptr), DRI_SUCCESS) << DRI_error_message();
}

TEST(DapRules, EmptyDimensionsAreWrittenOut) {
    DRI_Dap dap = good();
    ASSERT_EQ(DRI_dap_write_out(&dap), DRI_SUCCESS);
    EXPECT_EQ(dap.dim_data[3].dist_type, 'b');
    EXPECT_EQ(dap.dim_data[3].keys, common | DRI_DAP_START | DRI_DAP_STOP);
    EXPECT_EQ(dap.dim_data[3].size, 6);
    EXPECT_EQ(dap.dim_data[3].stop, 6);
    EXPECT_EQ(dap.dim_data[0].stop, 30);
    dap.shape[2] = -2;
    EXPECT_EQ(DRI_dap_write_out(&dap), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_write_out(nullptr), DRI_ERR_ARG);
}

TEST(DapRules, NullIsRefusedAndFreedIsZero) {
    EXPECT_EQ(DRI_dap_validate(nullptr, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_validate_dim(nullptr, 0, 1, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_check_all(0, nullptr, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_check_all(1, nullptr, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_free(nullptr), DRI_SUCCESS);
    DRI_Dap dap = good();
    EXPECT_EQ(DRI_dap_free(&dap), DRI_SUCCESS);
    EXPECT_EQ(dap.buffer, nullptr);
    EXPECT_EQ(dap.ndims, 0);
}

// Descriptions of a grid of processes. Each process is one entry.
using Dims = std::vector<std::vector<DRI_Dap_dim>>;

DRI_Dap_fault check(const Dims &all) {
    std::vector<DRI_Dap> daps;
    for (const auto &dims : all)
        daps.push_back(describe(dims, std::vector<int64_t>(dims.size(), 4)));
    DRI_Dap_fault fault;
    const int code = DRI_dap_check_all(static_cast<int>(daps.size()), daps.data(), &fault);
    EXPECT_EQ(code == DRI_SUCCESS, fault.rule == DRI_DAP_VALID);
    if (code != DRI_SUCCESS) {
        EXPECT_EQ(code, fault.rule <= DRI_DAP_RULE_SHAPE ? DRI_ERR_ARG : DRI_ERR_MISMATCH);
        EXPECT_EQ(DRI_error_message(), "DRI_dap_check_all: " + std::string(fault.message));
    }
    return fault;
}

// Two by two processes: blocks with padding, and cyclic blocks.
Dims good_grid() {
    Dims all;
    for (int q = 0; q < 4; ++q)
        all.push_back({q < 2 ? block_of(10, 2, 0, 0, 6, 1, 2) : block_of(10, 2, 1, 2, 10, 2, 1),
                       cyclic_of(9, 2, q % 2, q % 2 * 2, 2)});
    return all;
}

struct BrokenGroup {
    const char *rule;
    std::function<void(Dims &)> breaks;
    int process, other;
    const char *message;
};

const std::vector<int64_t> low{0, 1, 2}, high{2, 3, 4}, rest{3, 4};

TEST(DapGroupRules, EachBrokenOneIsFound) {
    const BrokenGroup table[]{
        {"stop_lt_start", [](Dims &d) { d[2][0].stop = 1; }, 2, -1, "process 2: dimension 0: stop is 1"},
        {"ndim", [](Dims &d) { d[3].pop_back(); }, 3, 0, "process 3 has 1 dimensions, but process 0 has 2"},
        {"dist_type_disagrees", [](Dims &d) { d[1][1] = block_of(9, 2, 1, 2, 9); }, 1, 0,
         "'b' on process 1, but 'c'"},
        {"size_disagrees", [](Dims &d) { d[3][0].size = 11; }, 3, 0,
         "size is 11 on process 3, but 10 on process 0"},
        {"grid_product", [](Dims &d) { d.pop_back(); }, 0, -1, "is at least 4, but there are 3 processes"},
        {"grid_product", [](Dims &d) { d[1][1].proc_grid_size = 3; }, 1, 0, "proc_grid_size is 3 on process 1"},
        {"row_major", [](Dims &d) { std::swap(d[1], d[2]); }, 1, -1,
         "proc_grid_rank is 1 on process 1, but its position"},
        {"axis_identical", [](Dims &d) { d[1][0].stop = 7; }, 1, 0, "stop is 7 on process 1, but 6 on process 0"},
        {"axis_identical", [](Dims &d) { d[1][0].padding[1] = 1; }, 1, 0, "padding is 1 on process 1, but 2"},
        {"axis_identical", [](Dims &d) { d[2][1].block_size = 3; }, 2, 0, "block_size is 3 on process 2"},
        {"padding_counterpart",
         [](Dims &d) {
             for (const int q : {2, 3})
                 d[static_cast<size_t>(q)][0] = block_of(10, 2, 1, 3, 10, 1, 1);
         },
         0, 2, "padding is 2 on process 0 towards process 2, but 1"},
        {"padding_too_wide",
         [](Dims &d) {
             for (const size_t q : {0, 1, 2, 3})
                 d[q][0] = q < 2 ? block_of(10, 2, 0, 0, 10, 0, 5) : block_of(10, 2, 1, 0, 9, 5, 0);
         },
         0, 2, "padding is 5 on process 0, but its neighbour, process 2, owns 4"},
        {"gap",
         [](Dims &d) {
             for (const size_t q : {0, 1})
                 d[q][0].stop = 5;
         },
         0, 2, "process 0 owns up to 3, but process 2 owns from 4 on"},
        {"overlap",
         [](Dims &d) {
             for (const size_t q : {0, 1})
                 d[q][0].stop = 7;
         },
         0, 2, "process 0 owns up to 5, but process 2 owns from 4 on"},
        {"coverage",
         [](Dims &d) {
             for (const size_t q : {2, 3})
                 d[q][0].stop = 9;
         },
         2, -1, "stop is 9 on process 2, the last one, but size is 10"},
        {"coverage",
         [](Dims &d) {
             for (const size_t q : {1, 3})
                 d[q][1] = cyclic_of(9, 2, 1, 3, 3);
         },
         1, 0, "block_size is 3 on process 1, but 2 on process 0"},
        {"coverage",
         [](Dims &d) {
             for (const size_t q : {1, 3})
                 d[q][1].start = 9;
         },
         1, -1, "start is 9 on process 1, but its first block is at 2"},
        {"one_to_one",
         [](Dims &d) {
             d = {{list_of(5, 2, 0, low, true)}, {list_of(5, 2, 1, high, true)}};
         },
         0, 1, "processes 0 and 1 both have index 2"},
        {"one_to_one",
         [](Dims &d) {
             d = {{list_of(5, 2, 0, low, true)}, {list_of(5, 2, 1, rest, false)}};
         },
         1, 0, "one_to_one is false on process 1, but true on process 0"},
        {"axis_identical",
         [](Dims &d) {
             d = {{list_of(5, 1, 0, low), {}}, {list_of(5, 1, 0, high), {}}};
             for (const size_t q : {0, 1})
                 d[q][1] = cyclic_of(4, 2, static_cast<int>(q), static_cast<int64_t>(q));
         },
         1, 0, "indices on process 1 differs from that on process 0"},
    };
    EXPECT_EQ(check(good_grid()).rule, DRI_DAP_VALID) << DRI_error_message();
    for (const BrokenGroup &one : table) {
        Dims all = good_grid();
        one.breaks(all);
        const DRI_Dap_fault fault = check(all);
        EXPECT_EQ(std::string(fault.name), one.rule) << fault.message;
        EXPECT_EQ(fault.process, one.process) << fault.message;
        EXPECT_EQ(fault.other, one.other) << fault.message;
        EXPECT_NE(std::string(fault.message).find(one.message), std::string::npos) << fault.message;
    }
}

TEST(DapGroupRules, WhatIsAllowed) {
    // Boundary padding differs between processes with one coordinate.
    Dims all = good_grid();
    all[1][0].padding[0] = 3;
    all[3][0].padding[1] = 0;
    EXPECT_EQ(check(all).rule, DRI_DAP_VALID) << DRI_error_message();
    const std::vector<int64_t> none;
    // Lists may share indices and leave some out.
    EXPECT_EQ(check({{list_of(9, 2, 0, low)}, {list_of(9, 2, 1, high)}}).rule, DRI_DAP_VALID)
        << DRI_error_message();
    EXPECT_EQ(check({{list_of(5, 2, 0, low, true)}, {list_of(5, 2, 1, rest, true)}}).rule, DRI_DAP_VALID);
    EXPECT_EQ(check({{{}, {}}}).rule, DRI_DAP_VALID) << DRI_error_message();
    EXPECT_EQ(check({{}}).rule, DRI_DAP_VALID) << DRI_error_message();
    EXPECT_EQ(check({{list_of(0, 2, 0, none)}, {list_of(0, 2, 1, none)}}).rule, DRI_DAP_VALID);
}

} // namespace
} // namespace dri::test
