/*
 * Five columns over four processes with an overlap of two columns at each side: what part 2 holds, by kind of
 * edge. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 5, zero = -1 };

static DRI_Group all;
static DRI_Gdo line;
static int rank, wrong;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* Moves one frame to a sink with this overlap; the local array of process 2 then holds these columns. */
static void expect(DRI_Part by_columns, DRI_Part overlapping, const int *held, int64_t count) {
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part;
    void *buffer;
    ok(DRI_dist_create(line, by_columns, all, &in));
    ok(DRI_dist_create(line, overlapping, all, &out));
    ok(DRI_xfer_create("columns", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("columns", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    ok(DRI_dist_get_part(in, rank, &part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    for (int64_t j = part.left_x; j < part.right_x; ++j)
        ((int32_t *)buffer)[j - part.left_x] = (int32_t)(100 + j);
    ok(DRI_do("columns", DRI_XFER_NULL));

    if (rank == 2) {
        int64_t extent;
        ok(DRI_dist_get_extents(out, rank, &extent));
        ok(DRI_xfer_get_buffer(sink, &buffer));
        wrong += extent != count;
        for (int64_t k = 0; k < extent && k < count; ++k)
            wrong += ((const int32_t *)buffer)[k] != (held[k] == zero ? 0 : 100 + held[k]);
    }
    ok(DRI_xfer_destroy(&source));
    ok(DRI_xfer_destroy(&sink));
    ok(DRI_dist_destroy(&in));
    ok(DRI_dist_destroy(&out));
}

int main(int argc, char **argv) {
    const int64_t size = columns;
    DRI_Part by_columns, truncated, wrapped, zeros, replicated;
    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(1, DRI_INT32, &size, &line));
    ok(DRI_part_create_blocks(1, 0, &by_columns));

    /* [rule] */
    DRI_Part_dim rule;
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK;
    rule.left = rule.right = 2;
    rule.left_edge = rule.right_edge = DRI_TRUNCATE; /* the value of a zero-initialised rule */
    ok(DRI_part_create_rule(1, &rule, &truncated));
    rule.left_edge = rule.right_edge = DRI_WRAP;
    ok(DRI_part_create_rule(1, &rule, &wrapped));
    /* [/rule] */

    /* [with-edges] */
    /* One edge per dimension. */
    const DRI_Edge zero_edges[1] = {DRI_PAD_ZERO}, copied_edges[1] = {DRI_PAD_REPLICATE};
    ok(DRI_part_with_edges(truncated, zero_edges, zero_edges, &zeros));
    ok(DRI_part_with_edges(truncated, copied_edges, copied_edges, &replicated));
    /* [/with-edges] */

    /* [held] */
    const int of_truncate[] = {1, 2, 3, 4}, of_wrap[] = {1, 2, 3, 4, 0};
    const int of_zero[] = {1, 2, 3, 4, zero}, of_replicate[] = {1, 2, 3, 4, 4};
    expect(by_columns, truncated, of_truncate, 4);
    expect(by_columns, wrapped, of_wrap, 5);
    expect(by_columns, zeros, of_zero, 5);
    expect(by_columns, replicated, of_replicate, 5);
    /* [/held] */

    /* [block] */
    DRI_Dist dist;
    DRI_Block block;
    ok(DRI_dist_create(line, zeros, all, &dist));
    ok(DRI_dist_get_block(dist, 2, 0, 0, &block)); /* process 2, dimension 0, its only block */
    wrong += block.global != 3 || block.size != 1; /* owns column 3 */
    wrong += block.local != 2;                     /* behind two columns of overlap */
    wrong += block.left_real != 2 || block.left_pad != 0;
    wrong += block.right_real != 1 || block.right_pad != 1; /* column 4 and a zero */
    /* [/block] */

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
