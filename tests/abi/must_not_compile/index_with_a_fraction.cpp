// dri: an index is an integer
#include <dri/dri.hpp>

namespace index_with_a_fraction {

inline float element(const dri::View<float, 2> &v) {
    float x = v(1, 2);
    x += v(1, 2.5); // error
    return x;
}

} // namespace index_with_a_fraction
