/*
 * What a compiler makes of a statement of the Dist dialect: the calls of dri/piece.h one by one, as generated code
 * has them.
 *
 *     a[3:13] = 2 * a[0:10] + a[1:11] + a[2:12] + a[3:13]
 *
 * The array is spread over all processes. Each one computes the elements that it owns of the left side. The right
 * side is read before the left side is written. Every process then checks the result.
 */
#include <dri/dri.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, M = 10, READS = 4 };

static void check(int code) {
    if (code != DRI_SUCCESS) {
        fprintf(stderr, "%s\n", DRI_error_message());
        exit(EXIT_FAILURE);
    }
}

/* dist.init_dist_array: this process's part of the array, in memory of its own. */
static DRI_Array init_dist_array(DRI_Gdo gdo, DRI_Group world, const DRI_Box *own, double *memory) {
    DRI_View parts[3];
    memset(parts, 0, sizeof parts);
    for (int i = 0; i < 3; ++i) {
        parts[i].data = memory;
        parts[i].ndims = 1;
        parts[i].step[0] = 1;
    }
    parts[1].range[0].size = own->size[0];
    DRI_Array array;
    check(DRI_array_init(gdo, world, own->offset, 3, parts, &array));
    return array;
}

/* ndarray.linalg constants become arrays without dimensions. */
static DRI_Array constant(double value, DRI_Group world) {
    DRI_Array array;
    DRI_View part[3];
    int nparts = 0;
    check(DRI_array_create_shape(0, NULL, DRI_DOUBLE, world, &array));
    check(DRI_array_get_parts(array, &nparts, part));
    *(double *)part[0].data = value;
    return array;
}

/* ndarray.insert_slice of what this process has computed: left halo, owned part, right halo are one row of
 * positions. */
static void insert(DRI_Array result, double *memory, const DRI_Box *own, const DRI_Range *slice) {
    DRI_View parts[3];
    int64_t position;
    int nparts = 0;
    check(DRI_array_get_loffs(result, &position));
    check(DRI_array_get_parts(result, &nparts, parts));
    for (int p = 0; p < nparts; ++p)
        for (int64_t i = 0; i < parts[p].range[0].size; ++i, ++position)
            memory[slice->first + position * slice->stride - own->offset[0]] =
                ((const double *)parts[p].data)[i * parts[p].step[0]];
}

int main(int argc, char **argv) {
    check(DRI_init(&argc, &argv));
    int rank, size;
    check(DRI_world_rank(&rank));
    check(DRI_world_size(&size));
    DRI_Group world;
    check(DRI_group_create_world(&world));
    const int64_t shape = N;
    DRI_Gdo gdo;
    check(DRI_gdo_create(1, DRI_DOUBLE, &shape, &gdo));

    /* dist.default_partition, dist.init_dist_array */
    DRI_Box own;
    check(DRI_default_partition(size, rank, 1, &shape, &own));
    double memory[N + 1];
    for (int64_t i = 0; i < own.size[0]; ++i)
        memory[i] = (double)((own.offset[0] + i) * (own.offset[0] + i));
    DRI_Array a = init_dist_array(gdo, world, &own, memory);

    /* dist.local_target_of_slice: what this process computes of the left side */
    const DRI_Range left = {3, 1, M}, reads[READS] = {{0, 1, M}, {1, 1, M}, {2, 1, M}, {3, 1, M}};
    int64_t local;
    DRI_Box target;
    check(DRI_target_of_slice(1, &own, &left, &local, &target));

    /* dist.local_bounding_box: what all reads need together; dist.local_core: what needs nothing from others */
    DRI_Box box, core;
    for (int i = 0; i < READS; ++i) {
        check(DRI_bounding_box(1, &reads[i], &target, 0, i ? &box : NULL, &box));
        check(DRI_core(1, &own, &reads[i], &target, i ? &core : NULL, &core));
    }

    /* dist.repartition: one exchange for all four reads. The second half of an update may come later. */
    DRI_Array held;
    check(DRI_array_repartition(a, &box, &held));
    check(DRI_array_update_overlap_start(held));

    /* dist.subview of each read at the target. Positions of the piece are indices of the array. */
    check(DRI_array_update_overlap_wait(held));
    DRI_Array views[READS], two = constant(2, world), terms[READS];
    for (int i = 0; i < READS; ++i)
        check(DRI_array_subview(held, &reads[i], &target, &views[i]));

    /* dist.ewbin: all share target and core */
    check(DRI_array_ewbin(DRI_OP_MUL, two, views[0], &target, &core, &terms[0]));
    for (int i = 1; i < READS; ++i)
        check(DRI_array_ewbin(DRI_OP_ADD, terms[i - 1], views[i], &target, &core, &terms[i]));
    insert(terms[READS - 1], memory, &own, &left);

    /* The same statement on one process. */
    double whole[N], wanted[N], all[N];
    for (int i = 0; i < N; ++i)
        whole[i] = wanted[i] = (double)(i * i);
    for (int i = 0; i < M; ++i)
        wanted[3 + i] = 2 * whole[i] + whole[i + 1] + whole[i + 2] + whole[i + 3];
    check(DRI_array_gather(a, NULL, -1, all));
    int wrong = 0;
    for (int i = 0; i < N; ++i)
        wrong += all[i] != wanted[i];
    if (rank == 0)
        printf("%d of %d elements are wrong\n", wrong, (int)N);

    for (int i = 0; i < READS; ++i) {
        check(DRI_array_destroy(&views[i]));
        check(DRI_array_destroy(&terms[i]));
    }
    check(DRI_array_destroy(&two));
    check(DRI_array_destroy(&held));
    check(DRI_array_destroy(&a));
    check(DRI_gdo_destroy(&gdo));
    check(DRI_group_destroy(&world));
    check(DRI_finalize());
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
