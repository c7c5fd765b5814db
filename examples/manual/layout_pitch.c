/*
 * Which distance between rows DRI_PITCH_AUTO chooses, and how a program learns it.
 * Run on 1 process.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

static DRI_Group all;
static int wrong;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* [pitch] */
/* Elements from one row of a matrix of 10 rows to the next. */
static int64_t pitch_of(DRI_Layout layout, DRI_Type type, int64_t columns) {
    const int64_t sizes[] = {10, columns};
    int64_t strides[2];
    DRI_Gdo matrix;
    DRI_Part rows;
    DRI_Dist dist;
    ok(DRI_gdo_create(2, type, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &rows));
    ok(DRI_dist_create(matrix, rows, all, &dist));
    ok(DRI_layout_get_strides(layout, dist, 0, strides));
    return strides[0];
}
/* [/pitch] */

static void expect(DRI_Layout layout, DRI_Type type, int64_t columns, int64_t pitch) {
    const int64_t found = pitch_of(layout, type, columns);
    printf("rows of %lld elements lie %lld elements apart\n", (long long)columns, (long long)found);
    wrong += found != pitch;
}

int main(int argc, char **argv) {
    DRI_Layout automatic, split, of_16;
    DRI_Type record;
    ok(DRI_init(&argc, &argv));
    ok(DRI_group_create_world(&all));
    ok(DRI_type_create(12, 4, &record));

    /* [auto] */
    ok(DRI_layout_with_pitch(DRI_ROW_MAJOR, 16, &of_16));
    expect(of_16, DRI_DOUBLE, 1000, 1008);
    ok(DRI_layout_with_pitch(DRI_ROW_MAJOR, DRI_PITCH_AUTO, &automatic));
    expect(automatic, DRI_FLOAT, 1000, 1008);          /* 4,000 bytes: 63 cache lines of 16 floats */
    expect(automatic, DRI_FLOAT, 1024, 1024);          /* 4 KB: whole cache lines, too short for more */
    expect(automatic, DRI_FLOAT, 3072, 3104);          /* 12 KB: three pages, so two cache lines more */
    expect(automatic, DRI_FLOAT, 3073, 3088);          /* whole cache lines, no whole pages */
    expect(automatic, DRI_COMPLEX_DOUBLE, 1024, 1032); /* 16 KB: two cache lines of 4 elements more */
    expect(automatic, record, 1000, 1008);             /* 16 records of 12 bytes are 3 whole cache lines */
    expect(automatic, record, 1024, 1024);             /* 12 KB, but 12 is no power of two */
    ok(DRI_layout_with_complex(automatic, DRI_SPLIT, &split));
    expect(split, DRI_COMPLEX_DOUBLE, 1001, 1008); /* in a split layout the unit is a component of 8 bytes */
    /* [/auto] */

    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
