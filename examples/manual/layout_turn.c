/*
 * A radar cube cut by pulses becomes the same cube cut by ranges: pulses contiguous, two ranges of overlap, padded
 * rows. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pulses = 60, channels = 3, ranges = 101, neighbours = 2 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t pulse, int64_t channel, int64_t range) {
    return (float)((pulse * channels + channel) * ranges + range);
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {pulses, channels, ranges};
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo cube;
    DRI_Part by_pulses, by_ranges;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[3];
    DRI_Part_dim rules[3];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(3, DRI_FLOAT, sizes, &cube));
    ok(DRI_part_create_blocks(3, 0, &by_pulses));
    ok(DRI_dist_create(cube, by_pulses, all, &in));
    memset(rules, 0, sizeof rules);
    rules[2].kind = DRI_BLOCK;
    rules[2].left = rules[2].right = neighbours;
    rules[2].left_edge = rules[2].right_edge = DRI_PAD_ZERO;
    ok(DRI_part_create_rule(3, rules, &by_ranges));
    ok(DRI_dist_create(cube, by_ranges, all, &out));

    /* [layout] */
    const int slowest_first[] = {1, 2, 0}; /* channel, range, pulse: pulses are contiguous */
    DRI_Layout turned, padded;
    ok(DRI_layout_create_packed(3, slowest_first, &turned));
    ok(DRI_layout_with_pitch(turned, 16, &padded)); /* rows of 64 instead of 60 pulses */
    ok(DRI_layout_destroy(&turned));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, padded, 1, NULL, &sink));
    ok(DRI_commit(all));
    /* [/layout] */

    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer;
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < channels; ++j)
            for (int64_t k = 0; k < ranges; ++k)
                *element++ = value(i, j, k);

    ok(DRI_do("turn", DRI_XFER_NULL));

    /* [check] */
    int64_t strides[3], extents[3];
    ok(DRI_layout_get_strides(padded, out, rank, strides));
    ok(DRI_dist_get_extents(out, rank, extents)); /* 60, 3, ranges with overlap */
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const float *local = (const float *)buffer;
    const int64_t first_range = part[2].left_x - part[2].left_v; /* -2 on process 0: two rows of zeros */
    for (int64_t j = 0; j < channels; ++j)
        for (int64_t k = 0; k < extents[2]; ++k)
            for (int64_t i = 0; i < pulses; ++i) {
                const int64_t range = first_range + k;
                const float expected = range < 0 || range >= ranges ? 0 : value(i, j, range);
                wrong += local[i * strides[0] + j * strides[1] + k * strides[2]] != expected;
            }
    /* [/check] */

    /* [bytes] */
    size_t bytes;
    ok(DRI_xfer_buffer_bytes(sink, &bytes));
    wrong += strides[0] != 1 || strides[2] != 64 || strides[1] != 64 * extents[2];
    wrong += bytes != (size_t)(channels * extents[2] * 64) * sizeof(float); /* the last row's padding, too */
    /* [/bytes] */

    if (wrong > 0)
        printf("process %d: %d elements are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
