/*
 * Domains: who owns which index under four maps, one of them the program's own, and what a process does with its
 * boxes. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static void expect(int right, const char *what) {
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    wrong = 1;
}

/* [owner] */
static int owner_of_beam(void *ctx, const int64_t index[], int *position) {
    const int processes = *(const int *)ctx;
    *position = (int)((index[0] ^ (index[0] >> 2)) % processes);
    return DRI_SUCCESS;
}
/* [/owner] */

int main(int argc, char **argv) {
    int rank, size, owner, task, flag, ndims, grid[2];
    int64_t n, order, place, owned, held, boxes, chunks;
    int64_t index[2], back[2];
    size_t bytes;
    char text[200];
    DRI_Group all;
    DRI_Map map, cyclic, beams, copy;
    DRI_Domain domain, inner, of_beams, read;
    DRI_Dist dist;
    DRI_Range box[2], chunk[2], common, dense, sub;
    DRI_Map_dim dims[2];
    DRI_Map_ops ops;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_world_size(&size));
    ok(DRI_group_create_world(&all));

    /* [ranges] */
    DRI_Range odd, few;
    ok(DRI_range(0, 20, 2, 1, &odd));        /* 1, 3, ..., 19 */
    ok(DRI_range(0, 20, -3, 1, &few));       /* 19, 16, ..., 1 */
    ok(DRI_range_order(few, 13, &order));    /* 2: the third one */
    ok(DRI_range_common(odd, few, &common)); /* 1, 7, 13, 19, in the direction of odd */
    ok(DRI_densify(common, odd, &dense));    /* their places in odd: 0, 3, 6, 9 */
    ok(DRI_undensify(dense, odd, &sub));     /* and back */
    /* [/ranges] */
    expect(odd.first == 1 && odd.size == 10 && few.first == 19 && few.size == 7, "ranges");
    expect(order == 2 && common.first == 1 && common.stride == 6 && common.size == 4, "common members");
    expect(dense.first == 0 && dense.stride == 3 && dense.size == 4, "places");
    expect(sub.first == 1 && sub.stride == 6 && sub.size == 4, "members");

    /* [map] */
    memset(dims, 0, sizeof dims);
    dims[0].kind = DRI_BLOCK; /* rows 1 to 60, in as many blocks as there are processes */
    dims[0].lo = 1;
    dims[0].hi = 61;
    dims[0].left = dims[0].right = 1; /* with one row of each neighbour */
    dims[1].kind = DRI_WHOLE;
    ok(DRI_map_create(2, dims, all, &map));

    memset(dims, 0, sizeof dims);
    dims[0].kind = DRI_BLOCK_CYCLIC; /* rows are dealt one by one, from row 1 */
    dims[0].start = 1;
    dims[0].block = 1;
    ok(DRI_map_create(2, dims, all, &cyclic));
    /* [/map] */
    ok(DRI_map_get_ndims(map, &ndims));
    ok(DRI_map_get_grid(map, grid));
    expect(ndims == 2 && grid[0] == size && grid[1] == 1, "grid");
    ok(DRI_map_equal(map, cyclic, &flag));
    expect(!flag, "different maps");

    /* [domain] */
    DRI_Range ranges[2] = {{1, 1, 60}, {0, 1, 8}}; /* all rows and columns */
    DRI_Range some[2] = {{59, -2, 30}, {0, 1, 8}}; /* odd rows, from the last one */
    ok(DRI_domain_create(map, DRI_RECTANGULAR, ranges, &domain));
    ok(DRI_domain_create(map, DRI_RECTANGULAR, some, &inner));
    ok(DRI_domain_text(inner, text, sizeof text)); /* {1..59 by -2, 0..7} */
    ok(DRI_domain_get_size(inner, &n));            /* 240 */
    /* [/domain] */
    expect(strcmp(text, "{1..59 by -2, 0..7}") == 0, text);
    expect(n == 240, "size");

    /* [queries] */
    index[0] = 57;
    index[1] = 3;
    ok(DRI_map_owner(map, index, &owner));                   /* of any index */
    ok(DRI_domain_order(inner, index, &order));              /* 11: row 1 of the sequence, column 3 */
    ok(DRI_domain_index(inner, order, back));                /* 57, 3 again */
    ok(DRI_domain_owner(inner, index, &owner));              /* of a member */
    ok(DRI_domain_local_index(inner, owner, index, &place)); /* where that process has it */
    ok(DRI_domain_global_index(inner, owner, place, back));  /* and back */
    ok(DRI_domain_get_count(inner, owner, &owned, &held));   /* held counts the overlap */
    /* [/queries] */
    expect(order == 11 && back[0] == 57 && back[1] == 3, "order");
    expect(owned <= held && place < held, "place");

    /* [boxes] */
    ok(DRI_domain_num_boxes(domain, rank, &boxes));
    n = 0;
    for (int64_t i = 0; i < boxes; ++i) {
        ok(DRI_domain_get_box(domain, rank, i, box)); /* one range of indices per dimension */
        n += box[0].size * box[1].size;
    }
    /* [/boxes] */
    ok(DRI_domain_get_count(domain, rank, &owned, NULL));
    expect(n == owned, "boxes");

    /* [chunks] */
    ok(DRI_domain_num_chunks(domain, rank, 2, &chunks)); /* for two threads */
    for (int64_t i = 0; i < chunks; ++i) {
        ok(DRI_domain_get_chunk(domain, rank, 2, i, chunk, &task));
        for (int64_t row = 0; row < chunk[0].size; ++row) {
            /* dense row chunk[0].first + row * chunk[0].stride, done by the thread `task` */
            n -= chunk[1].size;
        }
    }
    /* [/chunks] */
    expect(n == 0, "chunks");

    /* [user] */
    memset(&ops, 0, sizeof ops);
    ops.bytes = sizeof ops;
    ops.name = "beams";
    ops.owner = owner_of_beam;
    ok(DRI_map_create_user(1, &ops, &size, all, &beams));
    DRI_Range all_beams = {0, 1, 64};
    ok(DRI_domain_create(beams, DRI_RECTANGULAR, &all_beams, &of_beams));
    ok(DRI_domain_check(of_beams)); /* in a test: is it a map at all? */
    /* [/user] */
    ok(DRI_domain_describe(of_beams, text, sizeof text));

    /* [dist] */
    ok(DRI_domain_get_dist(domain, DRI_FLOAT, &dist)); /* rows and columns from 0, with the overlap */
    /* [/dist] */
    ok(DRI_dist_destroy(&dist));
    ok(DRI_domain_get_dist(of_beams, DRI_FLOAT, &dist));

    /* [of_dist] */
    ok(DRI_map_create_dist(dist, &copy)); /* the same owners, of indices from 0 */
    /* [/of_dist] */
    for (index[0] = 0; index[0] < 64; ++index[0]) {
        int other;
        ok(DRI_map_owner(beams, index, &owner));
        ok(DRI_map_owner(copy, index, &other));
        expect(owner == other, "owner in the map of a distribution");
    }

    /* [pack] */
    ok(DRI_domain_pack(inner, NULL, 0, &bytes));
    void *const packed = malloc(bytes);
    ok(DRI_domain_pack(inner, packed, bytes, NULL));
    ok(DRI_domain_unpack(packed, bytes, NULL, &read)); /* there, or in another run */
    ok(DRI_domain_equal(inner, read, &flag));          /* 1 */
    /* [/pack] */
    expect(flag, "a domain that was packed");

    free(packed);
    ok(DRI_dist_destroy(&dist));
    ok(DRI_domain_destroy(&domain));
    ok(DRI_domain_destroy(&inner));
    ok(DRI_domain_destroy(&of_beams));
    ok(DRI_domain_destroy(&read));
    ok(DRI_map_destroy(&map));
    ok(DRI_map_destroy(&cyclic));
    ok(DRI_map_destroy(&beams));
    ok(DRI_map_destroy(&copy));
    ok(DRI_group_destroy(&all));
    ok(DRI_finalize());
    return wrong;
}
