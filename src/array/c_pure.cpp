// The calls of piece.h that are arithmetic alone.
#include "array/pure.hpp"
#include "outer/calls.hpp"

#include <algorithm>

extern "C" {

int DRI_default_partition(int nprocs, int member, int ndims, const int64_t shape[], DRI_Box *part) {
    return dri::outer::run("DRI_default_partition", [&] {
        dri::array::require_shape(ndims, shape);
        if (nprocs < 1 || member < 0 || member >= nprocs)
            dri::fail(DRI_ERR_ARG, "member is {} of {} processes", member, nprocs);
        dri::outer::require_pointer(part, "part");
        if (ndims > 0)
            *part = dri::array::default_part(nprocs, member, ndims, shape);
    });
}

int DRI_target_of_slice(int ndims, const DRI_Box *held, const DRI_Range slice[], int64_t local[],
                        DRI_Box *target) {
    return dri::outer::run("DRI_target_of_slice", [&] {
        dri::array::require_ndims(ndims);
        dri::array::require_box(ndims, held, "held");
        dri::array::require_view(ndims, slice, "slice");
        dri::outer::require_pointer(target, "target");
        const DRI_Box found = dri::array::target_of(ndims, *held, slice);
        for (int d = 0; local && d < ndims; ++d)
            local[d] =
                found.size[d] == 0 ? 0 : slice[d].first + found.offset[d] * slice[d].stride - held->offset[d];
        *target = found;
    });
}

int DRI_bounding_box(int ndims, const DRI_Range view[], const DRI_Box *target, int inner, const DRI_Box *given,
                     DRI_Box *box) {
    return dri::outer::run("DRI_bounding_box", [&] {
        dri::array::require_ndims(ndims);
        dri::array::require_view(ndims, view, "view");
        dri::array::require_box(ndims, target, "target");
        dri::outer::require_pointer(box, "box");
        if (given)
            dri::array::require_box(ndims, given, "given");
        const DRI_Box reads = dri::array::reads_of(ndims, view, *target);
        if (!given)
            *box = reads;
        else
            *box = inner ? dri::array::common_of(reads, *given, ndims) : dri::array::hull_of(reads, *given, ndims);
    });
}

int DRI_core(int ndims, const DRI_Box *owned, const DRI_Range view[], const DRI_Box *target, const DRI_Box *given,
             DRI_Box *core) {
    return dri::outer::run("DRI_core", [&] {
        dri::array::require_ndims(ndims);
        dri::array::require_box(ndims, owned, "owned");
        dri::array::require_view(ndims, view, "view");
        dri::array::require_box(ndims, target, "target");
        dri::outer::require_pointer(core, "core");
        if (given)
            dri::array::require_box(ndims, given, "given");
        DRI_Box found = dri::array::target_of(ndims, *owned, view);
        found = dri::array::common_of(found, *target, ndims);
        *core = given ? dri::array::common_of(found, *given, ndims) : found;
    });
}
}
