// dri: sub() takes exactly one number or Range for each dimension
#include <dri/dri.hpp>

namespace number_of_slices {

inline void piece(const dri::View<float, 2> &v) {
    v.sub(1, dri::range(0, 2));
    v.sub(dri::range(0, 2)); // error
}

} // namespace number_of_slices
