// dri: an assignment converts numbers alone, and neither from nor to complex ones
#include <dri/dri.hpp>

namespace assignment_without_conversion {

inline void assign(dri::Array<std::complex<float>, 1> &a, const dri::Array<double, 1> &b) {
    a = dri::Array<std::complex<double>, 1>(a.domain());
    a = b; // error
}

} // namespace assignment_without_conversion
