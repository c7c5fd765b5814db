// dri: an Array of N dimensions takes exactly N indices
#include <dri/dri.hpp>

namespace number_of_array_indices {

inline void access(dri::Array<int, 2> &a) {
    a(1, 2) = 0;
    a(1) = 0; // error
}

} // namespace number_of_array_indices
