// dri: range(lo, hi) makes the indices from lo to hi - 1
#include <dri/dri.hpp>

namespace range_of_two {

inline auto take(const dri::View<float, 1> &v) {
    const auto right = v.sub(dri::range(0, 30));
    v.sub(dri::Range{0, 30}); // error
    return right;
}

} // namespace range_of_two
