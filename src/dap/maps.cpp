// The calls that count and map the indices of one dimension.
#include "dap/dimension.hpp"
#include "dap/faults.hpp"
#include "outer/calls.hpp"

namespace dri::dap {

namespace {

// Fails for one that breaks a rule. Sorting a list would cost more than the query, so repeated indices pass.
Dimension checked_dimension(const DRI_Dap_dim *dim) {
    outer::require_pointer(dim, "dim");
    if (is_empty_dictionary(*dim))
        fail(DRI_ERR_ARG, "an empty dimension {{}} is as long as its buffer, which is not known here");
    if (const auto found = quick_fault_of(*dim))
        fail(DRI_ERR_ARG, "{}", found->message);
    return make_dimension(*dim, -1);
}

} // namespace

} // namespace dri::dap

extern "C" {

int DRI_dap_owned(const DRI_Dap_dim *dim, int64_t *n) {
    return dri::outer::run("DRI_dap_owned", [&] {
        dri::outer::require_pointer(n, "n");
        *n = dri::dap::checked_dimension(dim).owned();
    });
}

int DRI_dap_local_index(const DRI_Dap_dim *dim, int64_t index, int64_t *local) {
    return dri::outer::run("DRI_dap_local_index", [&] {
        dri::outer::require_pointer(local, "local");
        const int64_t found = dri::dap::checked_dimension(dim).place_of(index);
        if (found < 0)
            dri::fail(DRI_ERR_ARG, "the process does not hold index {}", index);
        *local = found;
    });
}

int DRI_dap_global_index(const DRI_Dap_dim *dim, int64_t local, int64_t *index) {
    return dri::outer::run("DRI_dap_global_index", [&] {
        dri::outer::require_pointer(index, "index");
        const dri::dap::Dimension found = dri::dap::checked_dimension(dim);
        if (local < 0 || local >= found.held())
            dri::fail(DRI_ERR_ARG, "local is {}, but the process holds {} indices", local, found.held());
        *index = found.index_at(local);
    });
}
}
