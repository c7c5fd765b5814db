/*
 * Descriptions of the Distributed Array Protocol in C99: filled in, checked and mapped without MPI and without
 * DRI_init. The cases are those of the protocol's own examples and of its validator.
 */
#include <dri/dap.h>
#include <stdio.h>
#include <string.h>

enum {
    COMMON = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK,
    BLOCK = COMMON | DRI_DAP_START | DRI_DAP_STOP,
    PADDED = BLOCK | DRI_DAP_PADDING,
    CYCLIC = COMMON | DRI_DAP_START,
    BLOCKS = CYCLIC | DRI_DAP_BLOCK_SIZE,
    LIST = COMMON | DRI_DAP_INDICES
};

static const int64_t unordered[] = {-7, 99, 3, -1}, repeated[] = {1, 2, 1};

/* One dimension, the extent of its buffer, and the rule that it breaks. */
static const struct {
    const char *rule;
    int64_t extent, owned;
    DRI_Dap_dim dim;
} cases[] = {
    {"", 10, 10, {.dist_type = 'b', .keys = BLOCK, .size = 50, .proc_grid_size = 2, .stop = 10}},
    {"",
     4,
     4,
     {.dist_type = 'u', .keys = LIST, .size = 100, .proc_grid_size = 1, .indices = unordered, .nindices = 4}},
    {"", 1, 1, {.dist_type = 'c', .keys = CYCLIC, .size = 3, .proc_grid_size = 4}},
    {"",
     0,
     0,
     {.dist_type = 'c', .keys = CYCLIC, .size = 3, .proc_grid_size = 4, .proc_grid_rank = 3, .start = 3}},
    {"", 4, 4, {.dist_type = 'c', .keys = BLOCKS, .size = 7, .proc_grid_size = 2, .block_size = 2}},
    {"",
     20,
     16,
     {.dist_type = 'b', .keys = PADDED, .size = 100, .proc_grid_size = 10, .stop = 20, .padding = {3, 4}}},
    {"",
     10,
     10,
     {.dist_type = 'b', .keys = PADDED, .size = 10, .proc_grid_size = 1, .stop = 10, .padding = {2, 2}}},
    {"dist_type", 9, 0, {.dist_type = 'n', .keys = COMMON, .size = 9, .proc_grid_size = 1}},
    {"missing_key", 10, 0, {.dist_type = 'b', .keys = CYCLIC, .size = 50, .proc_grid_size = 2}},
    {"stop_gt_size", 51, 0, {.dist_type = 'b', .keys = BLOCK, .size = 50, .proc_grid_size = 2, .stop = 51}},
    {"start", 11, 0, {.dist_type = 'b', .keys = BLOCK, .size = 50, .proc_grid_size = 2, .start = -1, .stop = 10}},
    {"start_rank0",
     10,
     0,
     {.dist_type = 'b', .keys = BLOCK, .size = 50, .proc_grid_size = 2, .start = 5, .stop = 15}},
    {"block_size", 10, 0, {.dist_type = 'c', .keys = BLOCKS, .size = 100, .proc_grid_size = 3, .block_size = -10}},
    {"shape", 9, 0, {.dist_type = 'b', .keys = BLOCK, .size = 50, .proc_grid_size = 2, .stop = 10}},
    {"proc_grid_size", 10, 0, {.dist_type = 'b', .keys = BLOCK, .size = 50, .stop = 10}},
    {"padding",
     10,
     0,
     {.dist_type = 'b', .keys = PADDED, .size = 50, .proc_grid_size = 2, .stop = 10, .padding = {-1, 0}}},
    {"indices_not_unique",
     3,
     0,
     {.dist_type = 'u', .keys = LIST, .size = 5, .proc_grid_size = 1, .indices = repeated, .nindices = 3}},
    {"type",
     10,
     0,
     {.dist_type = 'b', .keys = BLOCK, .unreadable = DRI_DAP_SIZE, .proc_grid_size = 2, .stop = 10}},
};

static int wrong = 0;

static void expect(int is_right, const char *what, int number) {
    if (is_right)
        return;
    ++wrong;
    printf("case %d: %s; %s\n", number, what, DRI_error_message());
}

/* Two processes with 9 elements each and one element of padding towards the other. */
static void compare_two(void) {
    DRI_Dap all[2];
    DRI_Dap_fault fault;
    int64_t position = -1;
    memset(all, 0, sizeof all);
    for (int rank = 0; rank < 2; ++rank) {
        const DRI_Dap_dim dim = {.dist_type = 'b',
                                 .keys = PADDED,
                                 .size = 18,
                                 .proc_grid_size = 2,
                                 .proc_grid_rank = rank,
                                 .start = rank ? 8 : 0,
                                 .stop = rank ? 18 : 10,
                                 .padding = {1, 1}};
        all[rank].ndims = 1;
        all[rank].dim_data[0] = dim;
    }
    expect(DRI_dap_check_all(2, all, &fault) == DRI_SUCCESS, "two processes fit together", -1);
    expect(DRI_dap_local_index(&all[1].dim_data[0], 9, &position) == DRI_SUCCESS && position == 1, "position", -1);
    all[1].dim_data[0].padding[0] = 2;
    expect(DRI_dap_check_all(2, all, &fault) == DRI_ERR_MISMATCH, "their padding differs", -1);
    expect(strcmp(fault.name, "padding_counterpart") == 0 && fault.process == 0 && fault.other == 1, fault.message,
           -1);
}

int main(void) {
    DRI_Dap_fault fault;
    const int n = (int)(sizeof cases / sizeof cases[0]);
    for (int i = 0; i < n; ++i) {
        int64_t owned = 0;
        const int code = DRI_dap_validate_dim(&cases[i].dim, 0, cases[i].extent, &fault);
        expect(code == (*cases[i].rule ? DRI_ERR_ARG : DRI_SUCCESS), "the code", i);
        expect(strcmp(fault.name, cases[i].rule) == 0, fault.name, i);
        if (code == DRI_SUCCESS) {
            expect(DRI_dap_owned(&cases[i].dim, &owned) == DRI_SUCCESS && owned == cases[i].owned, "owned", i);
            expect(DRI_dap_validate_dim(&cases[i].dim, 0, -1, NULL) == DRI_SUCCESS, "without a buffer", i);
        }
    }
    compare_two();
    printf("%d cases, %d wrong\n", n, wrong);
    return wrong != 0;
}
