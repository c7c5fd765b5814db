/*
 * The scope of a commit: two pairs of processes commit a transfer each among themselves, then all processes commit
 * a transfer between the pairs. A commit with too small a scope fails, and the next one succeeds. Each process
 * then commits a transfer of its own while another endpoint of the same name is declared.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 1000 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t element, int from) { return (double)(element + 10000 * from); }

static void fill(DRI_Xfer source, int64_t first, int64_t n, int from) {
    void *buffer;
    ok(DRI_xfer_get_buffer(source, &buffer));
    for (int64_t i = 0; i < n; ++i)
        ((double *)buffer)[i] = value(first + i, from);
}

static int64_t count_wrong(DRI_Xfer sink, int64_t first, int64_t n, int from) {
    int64_t wrong = 0;
    void *buffer;
    ok(DRI_xfer_get_buffer(sink, &buffer));
    for (int64_t i = 0; i < n; ++i)
        wrong += ((double *)buffer)[i] != value(first + i, from);
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    const int lower[] = {0, 1}, upper[] = {2, 3};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, pair, alone;
    DRI_Gdo line;
    DRI_Part blocks;
    DRI_Dist halves, whole;
    DRI_Xfer inside, across;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    const int is_lower = rank < 2, is_first = rank % 2 == 0;
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(2, is_lower ? lower : upper, &pair));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_DOUBLE, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, pair, &halves));
    ok(DRI_dist_create(line, blocks, alone, &whole));

    /* [scope] */
    /* "inside": from the first to the second process of each pair. The pairs do not know of each other. */
    ok(DRI_xfer_create("inside", is_first ? DRI_SOURCE : DRI_SINK, whole, DRI_ROW_MAJOR, 1, NULL, &inside));
    ok(DRI_commit(pair)); /* each pair commits on its own */

    /* "across": from the lower pair to the upper pair. */
    ok(DRI_xfer_create("across", is_lower ? DRI_SOURCE : DRI_SINK, halves, DRI_ROW_MAJOR, 1, NULL, &across));
    const int code = DRI_commit(pair); /* the scope lacks the other side */
    printf("process %d: %s: %s\n", rank, DRI_error_string(code), DRI_error_message());
    wrong += code != DRI_ERR_UNMATCHED;
    ok(DRI_commit(all)); /* "across" is still declared; "inside" is committed and not concerned */
    /* [/scope] */

    /* [ends] */
    /* A library commits its own transfer while its host is still declaring. Both use the name "step". */
    DRI_Xfer half_declared, library[2]; /* from each process to itself */
    ok(DRI_xfer_create("step", DRI_SOURCE, whole, DRI_ROW_MAJOR, 1, NULL, &half_declared)); /* the host's */
    ok(DRI_xfer_create("step", DRI_SOURCE, whole, DRI_ROW_MAJOR, 2, NULL, &library[0]));
    ok(DRI_xfer_create("step", DRI_SINK, whole, DRI_ROW_MAJOR, 1, NULL, &library[1]));
    ok(DRI_commit_ends(alone, 2, library));
    fill(library[0], 0, elements, rank);
    ok(DRI_do(NULL, library[0]));
    ok(DRI_do(NULL, library[1]));
    /* [/ends] */
    wrong += count_wrong(library[1], 0, elements, rank);
    ok(DRI_xfer_destroy(&half_declared));

    const int64_t first = is_first ? 0 : elements / 2;
    if (is_first)
        fill(inside, 0, elements, rank);
    ok(DRI_do("inside", DRI_XFER_NULL));
    if (!is_first)
        wrong += count_wrong(inside, 0, elements, rank - 1);
    if (is_lower)
        fill(across, first, elements / 2, 9);
    ok(DRI_do("across", DRI_XFER_NULL));
    if (!is_lower)
        wrong += count_wrong(across, first, elements / 2, 9);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
