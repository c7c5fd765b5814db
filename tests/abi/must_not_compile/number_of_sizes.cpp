// dri: a Gdo of N dimensions takes exactly N sizes
#include <dri/dri.hpp>

namespace number_of_sizes {

inline void make() {
    dri::Gdo<float, 2>(3, 4);
    dri::Gdo<float, 2>(3, 4, 5); // error
}

} // namespace number_of_sizes
