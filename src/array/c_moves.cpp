// The calls of loop.h that move arrays.
#include "array/moves.hpp"
#include "outer/any_array.hpp"

extern "C" {

int DRI_array_permute(DRI_Array array, const int order[], DRI_Array *permuted) {
    return dri::outer::run("DRI_array_permute", [&] {
        DRI_Array &made = dri::outer::null_handle(permuted, "permuted");
        const auto found = dri::outer::AnyArrays::get(array);
        dri::outer::require_pointer(order, "order");
        made = dri::array::permute(found, order);
    });
}

int DRI_array_reshape(DRI_Array array, int ndims, const int64_t shape[], DRI_Array *reshaped) {
    return dri::outer::run("DRI_array_reshape", [&] {
        DRI_Array &made = dri::outer::null_handle(reshaped, "reshaped");
        made = dri::array::reshape(dri::outer::AnyArrays::get(array), ndims, shape);
    });
}

int DRI_array_gather(DRI_Array array, const DRI_Range slice[], int root, void *data) {
    return dri::outer::run("DRI_array_gather",
                           [&] { dri::array::gather(dri::outer::AnyArrays::get(array), slice, root, data); });
}

int DRI_array_reduce(DRI_Array array, const DRI_Range slice[], DRI_Op op, void *result) {
    return dri::outer::run("DRI_array_reduce",
                           [&] { dri::array::reduce(dri::outer::AnyArrays::get(array), slice, op, result); });
}
}
