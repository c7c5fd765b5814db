/*
 * A sink puts an image together from pieces: each frame is written at its own offset in the image, and the rest of
 * the image stays as it is.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { lines = 240, pixels = 50, piece = 30 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static int32_t value(int64_t line, int64_t pixel) { return (int32_t)(line * pixels + pixel); }

int main(int argc, char **argv) {
    const int64_t whole[] = {lines, pixels}, none[] = {0, 0}, part_of_it[] = {piece, pixels};
    const int first_process = 0;
    int rank;
    int64_t wrong = 0;
    DRI_Group all, one;
    DRI_Gdo image, stripe;
    DRI_Part by_lines;
    DRI_Dist in, out;
    DRI_Xfer source, sink = DRI_XFER_NULL;
    DRI_Part_tuple given[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &first_process, &one));
    ok(DRI_part_create_blocks(2, 0, &by_lines));
    ok(DRI_gdo_create(2, DRI_INT32, whole, &image));
    ok(DRI_gdo_subset(image, none, part_of_it, &stripe));
    ok(DRI_dist_create(stripe, by_lines, all, &in));
    ok(DRI_dist_get_part(in, rank, given));
    /* [declare] */
    ok(DRI_xfer_create("image", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    if (rank == first_process) { /* one process holds all lines of the image, in one buffer */
        ok(DRI_dist_create(image, by_lines, one, &out));
        ok(DRI_xfer_create("image", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
        ok(DRI_xfer_set_attr(sink, DRI_ATTR_REBASE, 1 << 0));
    }
    ok(DRI_commit(all));
    /* [/declare] */

    for (int64_t first = lines - piece; first >= 0; first -= piece) { /* in any order */
        ok(DRI_xfer_get_buffer(source, &buffer));
        int32_t *element = (int32_t *)buffer;
        for (int64_t line = given[0].left_x; line < given[0].right_x; ++line)
            for (int64_t pixel = 0; pixel < pixels; ++pixel)
                *element++ = value(first + line, pixel);
        /* [slide] */
        const int64_t offset[] = {first, 0};
        if (rank == first_process)
            ok(DRI_xfer_rebase(sink, offset)); /* before the call that waits for the frame */
        ok(DRI_do("image", DRI_XFER_NULL));
        /* [/slide] */
    }
    if (rank == first_process) {
        ok(DRI_xfer_get_buffer(sink, &buffer));
        const int32_t *element = (const int32_t *)buffer;
        for (int64_t line = 0; line < lines; ++line)
            for (int64_t pixel = 0; pixel < pixels; ++pixel)
                wrong += *element++ != value(line, pixel);
        printf("%d pieces: %lld pixels are wrong\n", lines / piece, (long long)wrong);
    }
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
