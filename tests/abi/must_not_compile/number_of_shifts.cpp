// dri: shift() takes one number for each dimension
#include <dri/dri.hpp>

namespace number_of_shifts {

inline void compute(const dri::Ranges<2> &r) {
    static_cast<void>(r.shift(1, 0));
    static_cast<void>(r.shift(1)); // error
}

} // namespace number_of_shifts
