/*
 * A program that starts MPI itself. The library runs on three of its four processes, with a group made from a
 * communicator.
 *
 * Run on 4 processes.
 */
#include <dri/dri_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 31, columns = 17 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

static DRI_Dist cut(int dim, DRI_Group group) {
    const int64_t sizes[] = {rows, columns};
    DRI_Gdo matrix;
    DRI_Part part;
    DRI_Dist dist;
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, dim, &part));
    ok(DRI_dist_create(matrix, part, group, &dist));
    return dist;
}

/* A corner turn over all processes of a group. Returns the number of wrong elements. */
static int64_t turn(DRI_Group group) {
    int rank;
    DRI_Xfer source, sink;
    DRI_Part_tuple mine[2];
    void *buffer;
    int64_t wrong = 0;
    const DRI_Dist in = cut(0, group), out = cut(1, group);
    ok(DRI_world_rank(&rank));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(group));

    ok(DRI_dist_get_part(in, rank, mine));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer;
    for (int64_t row = mine[0].left_x; row < mine[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);

    ok(DRI_do("turn", DRI_XFER_NULL));

    ok(DRI_dist_get_part(out, rank, mine));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (float *)buffer;
    for (int64_t column = mine[1].left_x; column < mine[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *element++ != value(row, column);
    return wrong;
}

int main(int argc, char **argv) {
    int64_t wrong = 0;
    /* [start] */
    int mpi_rank, level;
    MPI_Comm workers;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_split(MPI_COMM_WORLD, mpi_rank == 0 ? MPI_UNDEFINED : 0, mpi_rank, &workers);

    if (workers != MPI_COMM_NULL) { /* not on process 0 of MPI_COMM_WORLD */
        int rank, size;
        DRI_Group all;
        ok(DRI_init_comm(workers)); /* collective over workers, which becomes the world */
        ok(DRI_world_rank(&rank));  /* 0 on process 1 of MPI_COMM_WORLD */
        ok(DRI_world_size(&size));
        ok(DRI_group_from_comm(workers, &all));
        MPI_Comm_free(&workers); /* the library works on a duplicate */

        wrong = turn(all);
        printf("process %d of %d: %lld elements are wrong\n", rank, size, (long long)wrong);
        ok(DRI_finalize()); /* MPI keeps running */
    }
    MPI_Finalize();
    /* [/start] */
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
