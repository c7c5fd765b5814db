// dri: a View of N dimensions takes exactly N indices
#include <dri/dri.hpp>

namespace number_of_indices {

inline float element(const dri::View<float, 2> &v) {
    float x = v(1, 2);
    x += v(1); // error
    return x;
}

} // namespace number_of_indices
