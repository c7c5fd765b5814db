// The calls of array.h that move elements.
#include "domain/array_object.hpp"
#include "domain/assign.hpp"
#include "domain/moves.hpp"
#include "outer/calls.hpp"

extern "C" {

int DRI_assign(DRI_Array dst, const DRI_Range to[], DRI_Array src, const DRI_Range from[], DRI_Assigned *info) {
    return dri::outer::run("DRI_assign", [&] {
        const auto [target, read] = dri::domain::get_whole_arrays(dst, src);
        dri::domain::AssignSide left{target->elements(), {}, target->is_alias() ? DRI_Array{} : dst};
        dri::domain::AssignSide right{read->elements(), {}, read->is_alias() ? DRI_Array{} : src};
        try {
            left.ranges = target->in_elements(to, "to");
            right.ranges = read->in_elements(from, "from");
            require_assignable(left, right);
        } catch (...) {
            fail_on_all(*left.elements, *right.elements);
        }
        const DRI_Assigned done = assign(left, right, true);
        if (info)
            *info = done;
    });
}

int DRI_assign_hand_over(const DRI_Assignment *assignment, int *done) {
    return dri::outer::run("DRI_assign_hand_over", [&] {
        dri::outer::require_library();
        dri::outer::require_pointer(assignment, "assignment");
        dri::outer::require_pointer(done, "done");
        *done = dri::domain::hand_over(*assignment) ? 1 : 0;
    });
}

int DRI_array_update_overlap(DRI_Array array) {
    return dri::outer::run("DRI_array_update_overlap",
                           [&] { dri::outer::AnyArrays::get(array)->update_overlap(); });
}

int DRI_array_update_overlap_start(DRI_Array array) {
    return dri::outer::run("DRI_array_update_overlap_start",
                           [&] { dri::outer::AnyArrays::get(array)->start_update(); });
}

int DRI_array_update_overlap_wait(DRI_Array array) {
    return dri::outer::run("DRI_array_update_overlap_wait",
                           [&] { dri::outer::AnyArrays::get(array)->wait_for_update(); });
}

int DRI_array_write(DRI_Array array, int (*put)(void *ctx, const char *text, size_t n), void *ctx) {
    return dri::outer::run("DRI_array_write", [&] {
        const auto found = dri::domain::get_whole_array(array);
        if (!put)
            dri::fail(DRI_ERR_ARG, "put is NULL");
        write_array(*found, put, ctx);
    });
}
}
