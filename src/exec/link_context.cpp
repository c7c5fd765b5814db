// How the lanes of a link bind copies to kernels.
#include "exec/link_context.hpp"

namespace dri::exec {

int64_t LinkContext::written() const {
    return plan::self_bytes(*plan) + plan::pull_bytes(*plan) + plan::receive_bytes(*plan);
}

Binding LinkContext::bind(int64_t bytes, const std::byte *src, const std::byte *dst, bool measures) const {
    return {chooser, bytes, {reinterpret_cast<uintptr_t>(src), reinterpret_cast<uintptr_t>(dst)}, measures};
}

} // namespace dri::exec
