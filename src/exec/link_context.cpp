// How the lanes of a link bind copies to kernels.
#include "exec/link_context.hpp"

namespace dri::exec {

int64_t LinkContext::written() const {
    return plan::self_bytes(*plan) + plan::pull_bytes(*plan) + plan::receive_bytes(*plan);
}

LinkContext::Bind LinkContext::bind(int64_t bytes, const std::byte *src, const std::byte *dst,
                                    bool measures) const {
    const kernel::Addresses at{reinterpret_cast<uintptr_t>(src), reinterpret_cast<uintptr_t>(dst)};
    return [&chooser = chooser, bytes, at, measures](const plan::StridedCopy &copy) {
        return chooser.bind(copy, bytes, at, measures);
    };
}

} // namespace dri::exec
