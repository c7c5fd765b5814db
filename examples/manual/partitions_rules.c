/*
 * Ten indices over four processes by every rule, and what minimum, maximum and multiple do to forty.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DRI_Group all;
static int rank, wrong;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* Makes the distribution and destroys the partition. */
static DRI_Dist distribute(int64_t n, DRI_Part *part) {
    DRI_Gdo line;
    DRI_Dist dist;
    ok(DRI_gdo_create(1, DRI_FLOAT, &n, &line));
    ok(DRI_dist_create(line, *part, all, &dist));
    ok(DRI_part_destroy(part));
    ok(DRI_gdo_destroy(&line));
    return dist;
}

/* The owner of each of the ten indices, as text. */
static void expect_owners(DRI_Part_dim rule, const char *owners) {
    DRI_Part part;
    ok(DRI_part_create_rule(1, &rule, &part));
    DRI_Dist dist = distribute(10, &part);
    for (int64_t i = 0; i < 10; ++i) {
        int owner;
        ok(DRI_dist_owner(dist, &i, &owner));
        wrong += owner != owners[i] - '0';
    }
    char text[100];
    ok(DRI_dist_describe(dist, text, sizeof text));
    if (rank == 0)
        printf("%-50s %s\n", text, owners);
    ok(DRI_dist_destroy(&dist));
}

/* The number of elements of each of the four parts. */
static void expect_sizes(DRI_Part_dim rule, const int64_t sizes[4]) {
    DRI_Part part;
    ok(DRI_part_create_rule(1, &rule, &part));
    DRI_Dist dist = distribute(40, &part);
    for (int p = 0; p < 4; ++p) {
        int64_t owned;
        ok(DRI_dist_get_count(dist, p, &owned, NULL));
        wrong += owned != sizes[p];
    }
    ok(DRI_dist_destroy(&dist));
}

int main(int argc, char **argv) {
    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));

    /* [block] */
    DRI_Part_dim rule;
    memset(&rule, 0, sizeof rule); /* zeros: DRI_WHOLE, no overlap, no constraint */
    rule.kind = DRI_BLOCK;
    rule.remainder = DRI_BALANCED; /* 3, 3, 2 and 2 indices */
    expect_owners(rule, "0001112233");
    rule.remainder = DRI_BALANCED_LAST; /* 2, 2, 3 and 3 */
    expect_owners(rule, "0011222333");
    rule.remainder = DRI_CEIL; /* 3, 3, 3 and 1 */
    expect_owners(rule, "0001112223");
    rule.remainder = DRI_PROPORTIONAL; /* 3, 2, 3 and 2 */
    expect_owners(rule, "0001122233");
    /* [/block] */

    /* [cyclic] */
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.block = 1;
    expect_owners(rule, "0123012301");
    rule.block = 2;
    expect_owners(rule, "0011223300");
    rule.phase = 3; /* part 3 has the first block */
    expect_owners(rule, "3300112233");
    /* [/cyclic] */

    /* [sizes] */
    const int64_t sizes[] = {1, 4, 0, 5};
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_SIZES;
    rule.nparts = 4; /* DRI_SIZES and DRI_WEIGHTS need the number of parts */
    rule.sizes = sizes;
    expect_owners(rule, "0111133333");

    const double weights[] = {1, 2, 3, 4}; /* only their ratios count */
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_WEIGHTS;
    rule.nparts = 4;
    rule.weights = weights;
    expect_owners(rule, "0112223333");
    /* [/sizes] */

    /* [indices] */
    const int64_t lists[4][3] = {{4, 7, -1}, {2, 1, 6}, {3, 5, 9}, {0, 8, -1}};
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_INDICES;
    rule.indices = lists[rank]; /* each process passes its own list */
    rule.nindices = rank == 1 || rank == 2 ? 3 : 2;
    expect_owners(rule, "3112021032");
    /* [/indices] */

    /* [runs] */
    const DRI_Run every_fourth = {.first = rank, .size = 1, .count = rank < 2 ? 3 : 2, .step = 4};
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_RUNS;
    rule.runs = &every_fourth; /* process 1: 1, 5, 9 */
    rule.nruns = 1;
    expect_owners(rule, "0123012301");
    /* [/runs] */

    /* [constraints] */
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK;
    rule.multiple = 16; /* every part a multiple of 16, except the last one that is not empty */
    const int64_t of_multiple[] = {16, 16, 8, 0};
    expect_sizes(rule, of_multiple);
    rule.multiple = 0;
    rule.min = 12; /* four parts of 12 would need 48: one part stays empty */
    const int64_t of_min[] = {14, 13, 13, 0};
    expect_sizes(rule, of_min);
    /* [/constraints] */

    if (wrong > 0)
        printf("process %d: %d answers are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
