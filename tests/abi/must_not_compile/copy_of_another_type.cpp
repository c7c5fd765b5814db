// dri: copy() converts nothing: both have one element type
#include <dri/dri.hpp>

namespace copy_of_another_type {

inline void write(const dri::View<float, 1> &v, const dri::View<double, 1> &other) {
    copy(v, v);
    copy(v, other); // error
}

} // namespace copy_of_another_type
