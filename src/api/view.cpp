// The call of view.h: a buffer as memory with strides.
#include "api/guard.hpp"
#include "api/lookup.hpp"
#include "api/state.hpp"
#include "commit/buffer_view.hpp"
#include "model/even_axis.hpp"

#include <dri/view.h>

namespace dri::api {

namespace {

DRI_View to_public(const commit::BufferView &view) {
    DRI_View out{};
    out.data = view.data;
    out.element_bytes = view.step_bytes;
    out.plane = view.plane;
    out.ndims = static_cast<int64_t>(view.axes.size());
    for (size_t d = 0; d < view.axes.size(); ++d) {
        const model::EvenAxis &axis = view.axes[d];
        out.range[d] = {axis.first, axis.stride, axis.size};
        out.step[d] = view.steps[d];
        out.left[d] = axis.left;
        out.right[d] = axis.right;
    }
    return out;
}

static_assert(sizeof(DRI_View) == (12 + 6 * DRI_MAX_DIMS) * sizeof(int64_t),
              "programs built with earlier versions pass a structure of this size");

} // namespace

} // namespace dri::api

extern "C" {

int DRI_xfer_get_view(DRI_Xfer xfer, DRI_View *view) {
    return dri::api::guard("DRI_xfer_get_view", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(view, "view");
        *view = dri::api::to_public(dri::commit::view_of(*endpoint, dri::api::session()->rank()));
    });
}
}
