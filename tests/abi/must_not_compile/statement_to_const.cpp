// dri: an assignment changes its left side, which is const
#include <dri/dri.hpp>

namespace statement_to_const {

inline void compute(const dri::Array<int, 1> &a) {
    const auto read = a + 1;
    static_cast<void>(read);
    a[a.ranges()] = a + 1; // error
}

} // namespace statement_to_const
