// dri: complex values are no real elements: take real(), imag() or abs() of them
#include <dri/dri.hpp>

namespace complex_statement_to_real {

inline void compute(dri::Array<float, 1> &a, const dri::Array<std::complex<float>, 1> &b) {
    a = dri::abs(2 * b);
    a = 2 * b; // error
}

} // namespace complex_statement_to_real
