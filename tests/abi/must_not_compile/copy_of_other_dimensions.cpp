// dri: copy() needs Views of the same number of dimensions
#include <dri/dri.hpp>

namespace copy_of_other_dimensions {

inline void write(const dri::View<float, 1> &v, const dri::View<float, 2> &other) {
    copy(v, v);
    copy(v, other); // error
}

} // namespace copy_of_other_dimensions
