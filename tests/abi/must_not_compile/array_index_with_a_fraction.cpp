// dri: an index is an integer
#include <dri/dri.hpp>

namespace array_index_with_a_fraction {

inline void access(dri::Array<int, 2> &a) {
    a(1, 2) = 0;
    a(1, 2.0) = 0; // error
}

} // namespace array_index_with_a_fraction
