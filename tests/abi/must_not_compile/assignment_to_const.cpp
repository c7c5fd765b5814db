// dri: an assignment changes its left side, which is const
#include <dri/dri.hpp>

namespace assignment_to_const {

inline void assign(dri::Array<int, 2> &a, const dri::Array<int, 2> &b) {
    a[a.ranges()] = b;
    b[b.ranges()] = a; // error
}

} // namespace assignment_to_const
