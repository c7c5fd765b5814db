// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace buffer_that_is_const {

inline void make(const dri::Dist<int, 1> &dist, std::span<int> own, std::span<const int> other) {
    dri::Sink("buffers", dist, {}, own);
    dri::Sink("buffers", dist, {}, other); // error
}

} // namespace buffer_that_is_const
