// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace buffers_of_another_type {

inline void make(const dri::Dist<float, 1> &dist, std::vector<float> &own, std::vector<double> &other) {
    dri::Source("buffers", dist, {}, own);
    dri::Source("buffers", dist, {}, other); // error
}

} // namespace buffers_of_another_type
