/*
 * A filter works on windows of 64 samples that slide by 16 samples along a recording. The plan is the same for all
 * windows.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { samples = 1000, sensors = 24, length = 64, hop = 16 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t sample, int64_t sensor) { return (float)(sample * sensors + sensor); }

int main(int argc, char **argv) {
    const int64_t recorded[] = {samples, sensors}, none[] = {0, 0}, windowed[] = {length, sensors};
    int rank;
    int64_t wrong = 0, windows = 0;
    DRI_Group all;
    DRI_Gdo recording, window;
    DRI_Part by_sensors, by_samples;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_part_create_blocks(2, 0, &by_samples));
    ok(DRI_part_create_blocks(2, 1, &by_sensors));
    /* [declare] */
    ok(DRI_gdo_create(2, DRI_FLOAT, recorded, &recording));
    ok(DRI_gdo_subset(recording, none, windowed, &window)); /* where the window is at the commit */
    ok(DRI_dist_create(recording, by_sensors, all, &in));   /* dimension 0 slides, so it is not cut */
    ok(DRI_dist_create(window, by_samples, all, &out));     /* cut in any way */
    ok(DRI_xfer_create("filter", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("filter", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1 << 0)); /* it may slide along dimension 0 */
    ok(DRI_commit(all));
    /* [/declare] */

    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, received));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer; /* the whole recording of this process's sensors, in one buffer */
    for (int64_t sample = 0; sample < samples; ++sample)
        for (int64_t sensor = given[1].left_x; sensor < given[1].right_x; ++sensor)
            *element++ = value(sample, sensor);

    /* [slide] */
    for (int64_t first = 0; first + length <= samples; first += hop, ++windows) {
        const int64_t offset[] = {first, 0};
        ok(DRI_xfer_rebase(source, offset)); /* on all processes of the source */
        ok(DRI_do("filter", DRI_XFER_NULL));

        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t sample = received[0].left_x; sample < received[0].right_x; ++sample)
            for (int64_t sensor = 0; sensor < sensors; ++sensor)
                wrong += *element++ != value(first + sample, sensor);
    }
    /* [/slide] */
    printf("process %d: %lld windows, %lld elements are wrong\n", rank, (long long)windows, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
