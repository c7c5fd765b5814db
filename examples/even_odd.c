/*
 * A distribution of one's own: with two processes the even indices on one and the odd ones on the other. It is one
 * function. Its elements go to blocks, where each process has neighbours side by side, and back.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(int code) {
    if (code != DRI_SUCCESS) {
        fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
        exit(EXIT_FAILURE);
    }
}

/* The whole distribution: the position of the process that owns an index. */
static int owner(void *processes, const int64_t index[], int *position) {
    *position = (int)(index[0] % *(const int *)processes);
    return DRI_SUCCESS;
}

int main(int argc, char **argv) {
    const DRI_Range all = {1, 1, 9}; /* 1 to 9 */
    DRI_Map_ops ops;
    DRI_Map_dim rule;
    int processes, rank;
    int64_t wrong = 0, boxes, place;
    DRI_Group world;
    DRI_Map own, regular;
    DRI_Domain alternating, blocks;
    DRI_Array mine, neighbours;
    const DRI_View *view;
    void *element;

    memset(&ops, 0, sizeof ops);
    ops.bytes = sizeof ops;
    ops.name = "even and odd";
    ops.owner = owner;
    memset(&rule, 0, sizeof rule);
    rule.kind = DRI_BLOCK;
    rule.lo = 1;
    rule.hi = 10;

    ok(DRI_init(&argc, &argv));
    ok(DRI_group_create_world(&world));
    ok(DRI_group_get_size(world, &processes, &rank));
    ok(DRI_map_create_user(1, &ops, &processes, world, &own));
    ok(DRI_map_create(1, &rule, world, &regular));
    ok(DRI_domain_create(own, DRI_RECTANGULAR, &all, &alternating));
    ok(DRI_domain_create(regular, DRI_RECTANGULAR, &all, &blocks));
    ok(DRI_domain_check(alternating)); /* every index has one owner */
    ok(DRI_array_create(alternating, DRI_DOUBLE, NULL, &mine));
    ok(DRI_array_create(blocks, DRI_DOUBLE, NULL, &neighbours));

    /* Element i is i. */
    ok(DRI_domain_num_boxes(alternating, rank, &boxes));
    for (int64_t box = 0; box < boxes; ++box) {
        ok(DRI_array_view(mine, box, &view));
        for (int64_t k = 0; k < view->range[0].size; ++k)
            ((double *)view->data)[k * view->step[0]] = (double)(view->range[0].first + k * view->range[0].stride);
    }
    ok(DRI_assign(neighbours, NULL, mine, NULL, NULL));
    ok(DRI_array_view(neighbours, 0, &view));
    for (int64_t k = 0; k < view->range[0].size; ++k)
        ((double *)view->data)[k] *= 10;
    ok(DRI_assign(mine, NULL, neighbours, NULL, NULL));

    for (int64_t i = 1; i < 10; ++i)
        if ((i % processes) == rank) {
            ok(DRI_array_at(mine, &i, &element));
            wrong += *(double *)element != 10.0 * (double)i;
            ok(DRI_domain_local_index(alternating, rank, &i, &place));
            printf("process %d has element %d at place %d\n", rank, (int)i, (int)place);
        }
    ok(DRI_finalize());
    return wrong > 0;
}
