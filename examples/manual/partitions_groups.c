/*
 * Processes 0 and 1 hold a line in two halves; processes 2 to 5 receive it in two halves, each of them twice.
 * Run on 6 processes.
 */
#include <dri/dri_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { elements = 1001 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int64_t size = elements;
    int rank, position, nprocs, wrong = 0;
    DRI_Gdo line;
    DRI_Xfer endpoint;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));

    /* [groups] */
    const int front_ranks[] = {0, 1};
    DRI_Group all, front, rear;
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(2, front_ranks, &front)); /* local: any process may describe any group */

    MPI_Comm side; /* an MPI program has its groups as communicators */
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, rank, &side);
    ok(DRI_group_from_comm(side, &rear)); /* processes 0 and 1 describe their own side here */
    MPI_Comm_free(&side);

    ok(DRI_group_get_size(front, &nprocs, &position)); /* position: -1 outside the group */
    wrong += nprocs != 2 || position != (rank < 2 ? rank : -1);
    /* [/groups] */

    /* [dist] */
    DRI_Part_dim halves;
    DRI_Part part;
    DRI_Dist dist;
    memset(&halves, 0, sizeof halves);
    halves.kind = DRI_BLOCK;
    halves.nparts = 2; /* two parts over two processes, or two parts over four: each part twice */
    ok(DRI_gdo_create(1, DRI_INT32, &size, &line));
    ok(DRI_part_create_rule(1, &halves, &part));
    if (rank < 2) {
        ok(DRI_dist_create(line, part, front, &dist)); /* all processes of the group, and no other one */
        ok(DRI_xfer_create("line", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, NULL, &endpoint));
    } else {
        ok(DRI_dist_create(line, part, rear, &dist));
        ok(DRI_xfer_create("line", DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &endpoint));
    }
    ok(DRI_commit(all)); /* its scope holds both groups */
    /* [/dist] */

    DRI_Part_tuple mine;
    ok(DRI_dist_get_part(dist, rank, &mine));

    if (rank >= 2) {
        /* [replicas] */
        const int64_t last = elements - 1;
        int first_owner, n, ranks[4];
        ok(DRI_dist_owner(dist, &last, &first_owner));
        ok(DRI_dist_replicas(dist, &last, &n, ranks)); /* positions 1 and 3 of the group: ranks 3 and 5 */
        wrong += first_owner != 3 || n != 2 || ranks[0] != 3 || ranks[1] != 5;
        /* [/replicas] */
    }

    /* [packed] */
    unsigned char bytes[500];
    size_t n = 0;
    if (rank == 0)
        ok(DRI_dist_pack(dist, bytes, sizeof bytes, &n));
    MPI_Bcast(&n, sizeof n, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(bytes, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD);
    DRI_Dist senders;
    ok(DRI_dist_unpack(bytes, n, &senders));
    const int64_t middle = elements / 2 + 1;
    int sender;
    ok(DRI_dist_owner(senders, &middle, &sender)); /* process 1: all six know it now */
    /* [/packed] */
    wrong += sender != 1;
    ok(DRI_dist_destroy(&senders));

    /* [destroy] */
    ok(DRI_gdo_destroy(&line)); /* in any order, whoever still uses them */
    ok(DRI_part_destroy(&part));
    ok(DRI_group_destroy(&rear));
    ok(DRI_group_destroy(&front));
    ok(DRI_dist_destroy(&dist)); /* the transfer goes on without all five handles */
    /* [/destroy] */

    if (rank < 2) {
        ok(DRI_xfer_get_buffer(endpoint, &buffer));
        int32_t *element = (int32_t *)buffer;
        for (int64_t i = mine.left_x; i < mine.right_x; ++i)
            *element++ = (int32_t)(7 * i);
    }
    ok(DRI_do("line", DRI_XFER_NULL));
    if (rank >= 2) {
        ok(DRI_xfer_get_buffer(endpoint, &buffer)); /* of a sink: valid once a frame has arrived */
        const int32_t *element = (const int32_t *)buffer;
        for (int64_t i = mine.left_x; i < mine.right_x; ++i)
            wrong += *element++ != 7 * i;
    }
    ok(DRI_xfer_destroy(&endpoint));

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
