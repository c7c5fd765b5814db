// dri: an assignment changes its left side, which is const
#include <dri/dri.hpp>

namespace apply_to_const {

inline void compute(const dri::Array<int, 1> &a, dri::Array<int, 1> &b) {
    const auto kernel = [](auto, auto) {};
    dri::apply(b, kernel, a);
    dri::apply(a, kernel, b); // error
}

} // namespace apply_to_const
