// dri: a View of const elements is not written
#include <dri/dri.hpp>

namespace copy_to_const {

inline void write(const dri::View<float, 1> &v, const dri::View<const float, 1> &read) {
    copy(read, v);
    copy(v, read); // error
}

} // namespace copy_to_const
