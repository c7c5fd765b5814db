// dri: Layout::strides() makes such a layout
#include <dri/dri.hpp>

namespace strides_of_col_major {

inline dri::Layout take() {
    const auto right = dri::Layout::strides({16, 1});
    dri::col_major.strides({16, 1}); // error
    return right;
}

} // namespace strides_of_col_major
