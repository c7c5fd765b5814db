// dri: an expression has no more dimensions than what it is assigned to
#include <dri/dri.hpp>

namespace statement_of_more_dimensions {

inline void compute(dri::Array<int, 1> &a, const dri::Array<int, 2> &b) {
    a = a + 1;
    a = a + b; // error
}

} // namespace statement_of_more_dimensions
