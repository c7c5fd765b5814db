// read-only location|returns a const value
#include <dri/dri.hpp>

namespace write_to_const {

inline void write(const dri::View<float, 1> &v, const dri::View<const float, 1> &read) {
    v(0) = read(0);
    read(0) = v(0); // error
}

} // namespace write_to_const
