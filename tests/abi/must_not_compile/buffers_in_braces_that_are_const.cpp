// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace buffers_in_braces_that_are_const {

inline void take(const dri::Dist<float, 1> &dist, std::vector<float> &a) {
    [[maybe_unused]] dri::Sink right("right", dist, {}, {std::span(a)});
    [[maybe_unused]] dri::Sink wrong("wrong", dist, {}, {std::span<const float>(a)}); // error
}

} // namespace buffers_in_braces_that_are_const
