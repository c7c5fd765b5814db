// The call of window.h: sets the offset of a sliding window.
#include "api/arrays.hpp"
#include "api/lookup.hpp"

#include <dri/window.h>

extern "C" {

int DRI_xfer_rebase(DRI_Xfer xfer, const int64_t offset[]) {
    return dri::api::guard("DRI_xfer_rebase", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        if (endpoint->declaration().dist->ndims() > 0)
            dri::api::require_pointer(offset, "offset");
        endpoint->rebase(offset);
    });
}
}
