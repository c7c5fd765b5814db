// dri: a Partition of N dimensions takes exactly N cuts
#include <dri/dri.hpp>

namespace number_of_cuts {

inline void make(const dri::Gdo<float, 2> &matrix) {
    dri::Dist(matrix, {dri::block(), dri::whole()});
    dri::Dist(matrix, {dri::block()}); // error
}

} // namespace number_of_cuts
