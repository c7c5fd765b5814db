/*
 * A corner turn of a matrix that no process ever holds whole. The program computes the matrix in strips of rows
 * and uses it in strips of columns. Between the two, the library stores the matrix once, cut over all processes.
 *
 * usage: strip_turn [rows columns rows_of_a_strip columns_of_a_strip matrices]
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <dri/dri.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int16_t re, im;
} Sample;

static Sample value(int64_t row, int64_t column, int64_t matrix) {
    const uint64_t mixed = ((uint64_t)row * 2654435761u) ^ ((uint64_t)column * 40503u) ^ ((uint64_t)matrix << 20);
    const Sample sample = {(int16_t)mixed, (int16_t)(mixed >> 16)};
    return sample;
}

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The peak memory of this process in MB, or 0 if the system does not report it. */
static double peak_megabytes(void) {
    char line[128];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtol(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return (double)kilobytes * 1024e-6;
}

/* Declares an endpoint whose frames are strips of `size` indices of dimension dim, cut over all processes. */
static DRI_Xfer declare(DRI_Role role, DRI_Gdo matrix, int dim, int64_t size, DRI_Layout layout, int nbuffs) {
    int64_t none[2] = {0, 0}, sizes[2];
    DRI_Gdo first;
    DRI_Part blocks;
    DRI_Group all;
    DRI_Dist strip;
    DRI_Xfer endpoint;
    ok(DRI_gdo_get_sizes(matrix, NULL, sizes));
    sizes[dim] = size < sizes[dim] ? size : sizes[dim];
    ok(DRI_gdo_subset(matrix, none, sizes, &first));
    ok(DRI_part_create_blocks(2, dim, &blocks));
    ok(DRI_group_create_world(&all));
    ok(DRI_dist_create(first, blocks, all, &strip));
    ok(DRI_xfer_create_strips("turn", role, matrix, dim, strip, layout, nbuffs, NULL, &endpoint));
    return endpoint;
}

/* The rows and columns of the matrix that this process owns of a strip: low[d] <= index < high[d]. */
static void get_box(DRI_Xfer endpoint, int64_t strip, int dim, int64_t size, int rank, int64_t low[2],
                    int64_t high[2]) {
    DRI_Part_tuple part[2];
    DRI_Dist dist;
    ok(DRI_xfer_get_strip(endpoint, strip, &dist));
    ok(DRI_dist_get_part(dist, rank, part));
    ok(DRI_dist_destroy(&dist));
    for (int d = 0; d < 2; ++d) {
        low[d] = part[d].left_x + (d == dim ? strip * size : 0);
        high[d] = part[d].right_x + (d == dim ? strip * size : 0);
    }
}

int main(int argc, char **argv) {
    ok(DRI_init(&argc, &argv));
    int64_t numbers[] = {500, 700, 64, 100, 2};
    for (int i = 1; i < argc && i <= 5; ++i)
        numbers[i - 1] = strtoll(argv[i], NULL, 10);
    const int64_t sizes[] = {numbers[0], numbers[1]}, rows = numbers[2], columns = numbers[3],
                  matrices = numbers[4];
    DRI_Gdo matrix;
    DRI_Group all;
    int rank;
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_INT16, sizes, &matrix));
    DRI_Xfer source = declare(DRI_SOURCE, matrix, 0, rows, DRI_ROW_MAJOR, 2);
    DRI_Xfer sink = declare(DRI_SINK, matrix, 1, columns, DRI_COL_MAJOR, 1);
    ok(DRI_commit(all));

    const double start = seconds();
    double in_calls = 0;
    int64_t wrong = 0, low[2], high[2];
    void *buffer;
    for (int64_t m = 0; m < matrices; ++m) {
        for (int64_t k = 0; k * rows < sizes[0]; ++k) {
            get_box(source, k, 0, rows, rank, low, high);
            ok(DRI_xfer_get_buffer(source, &buffer));
            Sample *to = (Sample *)buffer;
            for (int64_t i = low[0]; i < high[0]; ++i)
                for (int64_t j = low[1]; j < high[1]; ++j)
                    *to++ = value(i, j, m);
            const double before = seconds();
            ok(DRI_do("turn", source));
            in_calls += seconds() - before;
        }
        for (int64_t t = 0; t * columns < sizes[1]; ++t) {
            const double before = seconds();
            ok(DRI_extract(sink, &buffer, NULL));
            in_calls += seconds() - before;
            get_box(sink, t, 1, columns, rank, low, high);
            const Sample *from = (const Sample *)buffer;
            for (int64_t j = low[1]; j < high[1]; ++j)
                for (int64_t i = low[0]; i < high[0]; ++i, ++from) {
                    const Sample right = value(i, j, m);
                    wrong += from->re != right.re || from->im != right.im;
                }
            ok(DRI_release(sink));
        }
    }
    printf("process %d: %" PRId64 " x %" PRId64 " in strips, %" PRId64 " times: %" PRId64
           " elements are wrong; %.2f s, of which %.2f s in the library; at most %.0f MB\n",
           rank, sizes[0], sizes[1], matrices, wrong, seconds() - start, in_calls, peak_megabytes());
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
