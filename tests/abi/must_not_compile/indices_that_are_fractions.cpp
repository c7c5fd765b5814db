// dri: sizes and indices are integers
#include <dri/dri.hpp>

namespace indices_that_are_fractions {

inline dri::Cut take(const std::vector<double> &list) {
    const auto right = dri::weights(list);
    dri::indices(list); // error
    return right;
}

} // namespace indices_that_are_fractions
