/*
 * Detections, records of several fields with a hole between them, go from the processes that found them to others.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { detections = 90 };

/* [record] */
typedef struct {
    int16_t beam; /* six bytes of hole behind it */
    double range;
    float power, phase;
} Detection;

struct Aligned {
    char first;
    Detection detection; /* lies at the first offset that is aligned for it */
};
/* [/record] */

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int64_t size = detections;
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo list;
    DRI_Part by_blocks, by_turns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));

    /* [type] */
    DRI_Type detection, packed, padded;
    size_t pitch;
    ok(DRI_type_create(sizeof(Detection), offsetof(struct Aligned, detection), &detection));
    ok(DRI_type_get_pitch(detection, &pitch)); /* bytes from one element to the next */
    wrong += pitch != sizeof(Detection);

    ok(DRI_type_create(6, 1, &packed)); /* six bytes, one record directly behind the other */
    ok(DRI_type_get_pitch(packed, &pitch));
    wrong += pitch != 6;
    ok(DRI_type_create(6, 8, &padded)); /* six bytes, each record at a multiple of 8 */
    ok(DRI_type_get_pitch(padded, &pitch));
    wrong += pitch != 8;
    ok(DRI_type_destroy(&packed));
    ok(DRI_type_destroy(&padded));

    ok(DRI_gdo_create(1, detection, &size, &list));
    ok(DRI_type_destroy(&detection)); /* the GDO stays valid */
    /* [/type] */
    DRI_Part_tuple part;
    const int64_t share[] = {0, 0, 30, 60}; /* process 0 has none, the others have 30 each */
    DRI_Part_tuple mine = {0, 0, 0, 0};
    mine.left_x = share[rank];
    mine.right_x = rank == 0 ? 0 : share[rank] + 30;
    ok(DRI_part_create(1, &mine, &by_blocks));
    ok(DRI_part_create_blocks(1, 0, &by_turns));
    ok(DRI_dist_create(list, by_blocks, all, &in));
    ok(DRI_dist_create(list, by_turns, all, &out));
    ok(DRI_xfer_create("detections", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("detections", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    ok(DRI_xfer_get_buffer(source, &buffer));
    Detection *found = (Detection *)buffer;
    for (int64_t i = mine.left_x; i < mine.right_x; ++i, ++found) {
        found->beam = (int16_t)i;
        found->range = (double)i / 7;
        found->power = (float)(2 * i);
        found->phase = (float)-i;
    }
    ok(DRI_do("detections", DRI_XFER_NULL));
    ok(DRI_dist_get_part(out, rank, &part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    found = (Detection *)buffer;
    for (int64_t i = part.left_x; i < part.right_x; ++i, ++found)
        wrong += found->beam != i || found->range != (double)i / 7 || found->power != (float)(2 * i) ||
                 found->phase != (float)-i;

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
