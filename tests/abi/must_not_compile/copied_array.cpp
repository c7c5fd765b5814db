// dri: an array is not copied
#include <dri/dri.hpp>

namespace copied_array {

inline void copy(dri::Array<int, 2> &a) {
    static_cast<void>(dri::Array<int, 2>(std::move(a)));
    static_cast<void>(dri::Array<int, 2>(a)); // error
}

} // namespace copied_array
