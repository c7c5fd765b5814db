// dri: sizes and indices are integers
#include <dri/dri.hpp>

namespace sizes_that_are_fractions {

inline dri::Cut take(const std::vector<float> &list) {
    const auto right = dri::weights(list);
    dri::sizes(list); // error
    return right;
}

} // namespace sizes_that_are_fractions
