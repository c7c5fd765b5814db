// How the lanes of a link bind copies to kernels.
#include "exec/link_context.hpp"

#include "plan/in_place.hpp"

namespace dri::exec {

// In place, what keeps its address is not written.
int64_t LinkContext::written() const {
    const int64_t stay = plan->in_place ? plan::bytes_that_stay(*plan) : 0;
    return plan::self_bytes(*plan) - stay + plan::pull_bytes(*plan) + plan::receive_bytes(*plan);
}

Binding LinkContext::bind(int64_t bytes, const std::byte *src, const std::byte *dst, bool measures) const {
    return {chooser, bytes, {reinterpret_cast<uintptr_t>(src), reinterpret_cast<uintptr_t>(dst)}, measures};
}

} // namespace dri::exec
