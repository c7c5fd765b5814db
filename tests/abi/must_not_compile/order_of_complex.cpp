// dri: complex values have no order
#include <dri/dri.hpp>

namespace order_of_complex {

inline void compute(const dri::Array<std::complex<float>, 1> &a) {
    dri::sum(a);
    dri::max(a); // error
}

} // namespace order_of_complex
