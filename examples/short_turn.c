/* A corner turn: every process puts in some rows of a matrix and gets out some columns, each contiguous. */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(int code) {
    if (code != DRI_SUCCESS) {
        fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {1000, 750}; /* rows, columns */
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Xfer source, sink;
    DRI_View in, out;

    ok(DRI_init(&argc, &argv));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_turn_create("turn", matrix, all, 0, 1, DRI_COL_MAJOR, 1, &source, &sink));
    ok(DRI_xfer_get_view(source, &in)); /* the rows that this process owns */
    for (int64_t i = 0; i < in.range[0].size * sizes[1]; ++i)
        ((float *)in.data)[i] = (float)(in.range[0].first * sizes[1] + i);
    ok(DRI_do("turn", DRI_XFER_NULL)); /* once per frame */
    ok(DRI_xfer_get_view(sink, &out)); /* the columns that it owns */
    for (int64_t j = 0; j < out.range[1].size; ++j)
        for (int64_t i = 0; i < sizes[0]; ++i)
            wrong += ((float *)out.data)[j * sizes[0] + i] != (float)(i * sizes[1] + out.range[1].first + j);
    printf("%lld elements are wrong\n", (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0;
}
