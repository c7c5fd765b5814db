// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace views_of_another_type {

inline void take(const dri::Dist<float, 1> &dist, const dri::View<float, 1> &a, const dri::View<double, 1> &b) {
    [[maybe_unused]] dri::Sink right("right", dist, {}, {a, a});
    [[maybe_unused]] dri::Sink wrong("wrong", dist, {}, {b, b}); // error
}

} // namespace views_of_another_type
