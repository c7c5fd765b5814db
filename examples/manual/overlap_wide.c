/*
 * Overlap past neighbours: all of the array on every process; wider than the array; around cyclic blocks; up to
 * the edge of a subset. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { elements = 12 };

static DRI_Group all;
static int rank;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* Sends a line cut into blocks to a sink; checks each element of the sink's local array. */
static int receive(DRI_Gdo line, DRI_Dist dist, int64_t offset) {
    DRI_Part blocks;
    DRI_Dist in;
    DRI_Xfer source, sink;
    DRI_Part_tuple mine;
    void *buffer;
    int wrong = 0;
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, all, &in));
    ok(DRI_xfer_create("line", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("line", DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));
    ok(DRI_dist_get_part(in, rank, &mine));
    ok(DRI_xfer_get_buffer(source, &buffer));
    for (int64_t i = mine.left_x; i < mine.right_x; ++i)
        ((int32_t *)buffer)[i - mine.left_x] = (int32_t)(100 + i);
    ok(DRI_do("line", DRI_XFER_NULL));

    /* [local] */
    int64_t extent;
    ok(DRI_dist_get_extents(dist, rank, &extent));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    for (int64_t at = 0; at < extent; ++at) {
        int64_t index; /* of the element that lies at this local index, owned or not */
        ok(DRI_dist_global_index(dist, rank, &at, &index));
        wrong += ((const int32_t *)buffer)[at] != 100 + offset + index;
    }
    /* [/local] */
    ok(DRI_xfer_destroy(&source));
    ok(DRI_xfer_destroy(&sink));
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t size = elements;
    int64_t extent;
    int wrong = 0;
    DRI_Gdo line, box;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Part_dim rule;
    DRI_Block block;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(1, DRI_INT32, &size, &line));

    /* [everything] */
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK;
    rule.left = rule.right = INT64_MAX; /* with DRI_TRUNCATE: all there is */
    ok(DRI_part_create_rule(1, &rule, &part));
    ok(DRI_dist_create(line, part, all, &dist));
    ok(DRI_dist_get_extents(dist, rank, &extent));
    wrong += extent != elements; /* every process owns 3 elements and holds all 12 */
    wrong += receive(line, dist, 0);
    /* [/everything] */

    /* [wrap] */
    rule.left = 15; /* once round the line, and 3 further */
    rule.right = 0;
    rule.left_edge = DRI_WRAP;
    ok(DRI_part_create_rule(1, &rule, &part));
    ok(DRI_dist_create(line, part, all, &dist));
    ok(DRI_dist_get_extents(dist, rank, &extent));
    wrong += extent != 15 + 3;
    wrong += receive(line, dist, 0);
    /* [/wrap] */

    /* [cyclic] */
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.block = 1;
    rule.left = rule.right = 1;
    rule.left_edge = rule.right_edge = DRI_WRAP;
    ok(DRI_part_create_rule(1, &rule, &part));
    ok(DRI_dist_create(line, part, all, &dist));
    ok(DRI_dist_get_extents(dist, rank, &extent));
    wrong += extent != 9; /* three blocks of one element, each with both of its neighbours */
    ok(DRI_dist_get_block(dist, rank, 0, 1, &block));
    wrong += block.global != 4 + rank || block.local != 4; /* the second block: local indices 3, 4 and 5 */
    wrong += receive(line, dist, 0);
    /* [/cyclic] */

    /* [subset] */
    const int64_t offset = 4, box_size = 4;
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK;
    rule.left = 2;
    ok(DRI_gdo_subset(line, &offset, &box_size, &box)); /* elements 4 to 7: one for each process */
    ok(DRI_part_create_rule(1, &rule, &part));
    ok(DRI_dist_create(box, part, all, &dist));
    ok(DRI_dist_get_extents(dist, rank, &extent));
    wrong += extent != (rank < 2 ? rank : 2) + 1; /* nothing of elements 2 and 3, which the line has */
    wrong += receive(line, dist, offset);
    /* [/subset] */

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
