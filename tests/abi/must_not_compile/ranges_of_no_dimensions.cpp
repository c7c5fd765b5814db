// dri: Ranges have at least one dimension
#include <dri/dri.hpp>

namespace ranges_of_no_dimensions {

inline void make() {
    const dri::Ranges<1> one(dri::range(0, 3));
    const dri::Ranges<0> none; // error
}

} // namespace ranges_of_no_dimensions
