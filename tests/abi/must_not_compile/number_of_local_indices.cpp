// dri: a LocalView of N dimensions takes exactly N indices
#include <dri/dri.hpp>

namespace number_of_local_indices {

inline void access(const dri::LocalView<int, 2> &x) {
    x(1, 2) = 0;
    x(1) = 0; // error
}

} // namespace number_of_local_indices
