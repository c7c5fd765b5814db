// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace braces_of_another_type {

inline void take(const dri::Dist<float, 1> &dist, std::vector<float> &a, std::vector<double> &b) {
    [[maybe_unused]] dri::Source right("right", dist, {}, {std::span(a)});
    [[maybe_unused]] dri::Source wrong("wrong", dist, {}, {std::span(b), std::span(b)}); // error
}

} // namespace braces_of_another_type
