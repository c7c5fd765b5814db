// dri: only complex elements have planes
#include <dri/dri.hpp>

namespace planes_of_real_numbers {

inline void take(const dri::Part<std::complex<float>, 1> &complex, const dri::Part<float, 1> &real) {
    complex.planes();
    real.planes(); // error
}

} // namespace planes_of_real_numbers
