/*
 * What becomes of numbers that the sink's type does not have: rounding, saturation, infinity and NaN.
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DRI_Group first, second, all;
static int rank, wrong;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* [send] */
/* Process 0 sends n numbers; process 1 receives them in another type, multiplied by a scale. */
static void expect_after_conversion(DRI_Type from, const void *sent, DRI_Type to, double scale,
                                    const void *expected, int64_t n) {
    DRI_Gdo line;
    DRI_Part whole;
    DRI_Dist dist;
    DRI_Xfer endpoint;
    DRI_Part_dim rule;
    void *buffer;
    size_t bytes;
    memset(&rule, 0, sizeof rule); /* DRI_WHOLE */
    ok(DRI_part_create_rule(1, &rule, &whole));
    ok(DRI_gdo_create(1, rank == 0 ? from : to, &n, &line));
    ok(DRI_dist_create(line, whole, rank == 0 ? first : second, &dist));
    const DRI_Role role = rank == 0 ? DRI_SOURCE : DRI_SINK;
    ok(DRI_xfer_create("numbers", role, dist, DRI_ROW_MAJOR, 1, NULL, &endpoint));
    if (rank == 1) {
        ok(DRI_xfer_set_attr(endpoint, DRI_ATTR_CONVERT, 1));
        ok(DRI_xfer_set_scale(endpoint, scale));
    }
    ok(DRI_commit(all));
    ok(DRI_xfer_buffer_bytes(endpoint, &bytes));
    if (rank == 0) {
        ok(DRI_xfer_get_buffer(endpoint, &buffer));
        memcpy(buffer, sent, bytes);
    }
    ok(DRI_do("numbers", DRI_XFER_NULL));
    if (rank == 1) {
        ok(DRI_xfer_get_buffer(endpoint, &buffer));
        wrong += memcmp(buffer, expected, bytes) != 0;
    }
    ok(DRI_xfer_destroy(&endpoint));
}
/* [/send] */

int main(int argc, char **argv) {
    const int rank_0 = 0, rank_1 = 1;
    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank_0, &first));
    ok(DRI_group_create(1, &rank_1, &second));

    /* [integer] */
    const double sent[] = {0.5, 1.5, 2.5, -0.5, 127.4, 127.6, 1e300, -1000, INFINITY, -INFINITY, NAN};
    const int8_t nearest[] = {0, 2, 2, 0, 127, 127, 127, -128, 127, -128, 0};
    expect_after_conversion(DRI_DOUBLE, sent, DRI_INT8, 1, nearest, 11);
    const uint8_t not_negative[] = {0, 2, 2, 0, 127, 128, 255, 0, 255, 0, 0};
    expect_after_conversion(DRI_DOUBLE, sent, DRI_UINT8, 1, not_negative, 11);
    const int32_t integers[] = {300, -300, 100, 70000};
    const int16_t short_integers[] = {300, -300, 100, 32767};
    expect_after_conversion(DRI_INT32, integers, DRI_INT16, 1, short_integers, 4);
    /* [/integer] */

    /* [float] */
    const double doubles[] = {0.1, 1e39, -1e39, 16777217};        /* the last one is 2^24 + 1 */
    const float floats[] = {0.1f, INFINITY, -INFINITY, 16777216}; /* of two equally near ones the even one */
    expect_after_conversion(DRI_DOUBLE, doubles, DRI_FLOAT, 1, floats, 4);
    /* [/float] */

    /* [scale] */
    const int16_t counts[] = {1, 3, 30000, -30000};
    const int16_t halves[] = {0, 2, 15000, -15000}; /* 0.5 and 1.5 round to even */
    expect_after_conversion(DRI_INT16, counts, DRI_INT16, 0.5, halves, 4);
    const int16_t doubled[] = {2, 6, 32767, -32768}; /* the product saturates */
    expect_after_conversion(DRI_INT16, counts, DRI_INT16, 2, doubled, 4);
    const int32_t large[] = {16777217}; /* computed in double, because int32 has more than 16 bits */
    const int32_t negated[] = {-16777217};
    expect_after_conversion(DRI_INT32, large, DRI_INT32, -1, negated, 1);
    /* [/scale] */

    if (wrong > 0)
        printf("process %d: %d conversions are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
