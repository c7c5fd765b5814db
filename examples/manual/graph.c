/*
 * A graph of all processes: the first sends numbers to the others, which send their squares back.
 * Run on 4 processes.
 */
#include <dri/dri.h>

#include <stdio.h>
#include <stdlib.h>

enum { n = 4, most_processes = 64 };

static void check(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s\n", DRI_error_message());
    exit(1);
}

static int square(void *context, DRI_Call *call) {
    const double *in = (const double *)call->in[0];
    double *out = (double *)call->out[0];
    int i;
    (void)context;
    for (i = 0; i < n; ++i)
        out[i] = in[i] * in[i];
    return DRI_SUCCESS;
}

static int add(void *context, DRI_Call *call) {
    double *out = (double *)call->out[0];
    int i, k;
    (void)context;
    for (i = 0; i < n; ++i) {
        out[i] = 0;
        for (k = 0; k < call->nin; ++k)
            out[i] += ((const double *)call->in[k])[i];
    }
    return DRI_SUCCESS;
}

/* [build] */
/* The first process: sends its input to all others, and adds up what they send back. */
static void build_first(DRI_Graph graph, DRI_Gdo shape, int size) {
    DRI_Node numbers, sum, parts[most_processes];
    int rank;
    check(DRI_graph_input(graph, "numbers", shape, &numbers));
    parts[0] = numbers;
    for (rank = 1; rank < size; ++rank) {
        char name[32];
        DRI_Node sent;
        check(DRI_graph_send(graph, numbers, rank, "numbers", &sent));
        snprintf(name, sizeof name, "sent to %d", rank);
        check(DRI_graph_output(graph, name, sent)); /* keeps the send alive */
        check(DRI_graph_recv(graph, rank, "squares", shape, &parts[rank]));
    }
    check(DRI_graph_value(graph, shape, &sum));
    check(DRI_graph_call(graph, "add", add, NULL, 1, &sum, size, parts));
    check(DRI_graph_output(graph, "sum", sum));
}

/* The others. */
static void build_other(DRI_Graph graph, DRI_Gdo shape) {
    DRI_Node numbers, squares, sent;
    check(DRI_graph_recv(graph, 0, "numbers", shape, &numbers));
    check(DRI_graph_value(graph, shape, &squares));
    check(DRI_graph_call(graph, "square", square, NULL, 1, &squares, 1, &numbers));
    check(DRI_graph_send(graph, squares, 0, "squares", &sent));
    check(DRI_graph_output(graph, "sent", sent));
}
/* [/build] */

int main(int argc, char **argv) {
    const int64_t size_of_shape = n;
    double numbers[n] = {1, 2, 3, 4};
    DRI_Group all;
    DRI_Gdo shape;
    DRI_Graph graph;
    DRI_Plan plan;
    const void *sum;
    int rank, size, frame, i;
    check(DRI_init(&argc, &argv));
    check(DRI_world_rank(&rank));
    check(DRI_world_size(&size));
    if (size > most_processes)
        return 1;
    check(DRI_group_create_world(&all));
    check(DRI_gdo_create(1, DRI_DOUBLE, &size_of_shape, &shape));
    check(DRI_graph_create(all, &graph));
    if (rank == 0)
        build_first(graph, shape, size);
    else
        build_other(graph, shape);

    /* [partition] */
    check(DRI_graph_partition(graph, &plan)); /* all that is wrong is told here, on all processes */
    /* [/partition] */

    /* [run] */
    check(DRI_plan_commit(plan, NULL));
    for (frame = 0; frame < 3; ++frame) {
        if (rank == 0)
            check(DRI_plan_set_input(plan, "numbers", numbers));
        check(DRI_plan_run(plan));
        if (rank != 0)
            continue;
        check(DRI_plan_get_output(plan, "sum", &sum));
        for (i = 0; i < n; ++i)
            if (((const double *)sum)[i] != numbers[i] + (size - 1) * numbers[i] * numbers[i])
                return 1;
        for (i = 0; i < n; ++i)
            numbers[i] += 1;
    }
    /* [/run] */
    if (rank == 0)
        printf("3 frames, each as it should be\n");

    check(DRI_plan_destroy(&plan));
    check(DRI_graph_destroy(&graph));
    check(DRI_gdo_destroy(&shape));
    check(DRI_group_destroy(&all));
    check(DRI_finalize());
    return 0;
}
