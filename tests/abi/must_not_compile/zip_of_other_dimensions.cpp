// dri: the items of a zip have the same number of dimensions
#include <dri/dri.hpp>

namespace zip_of_other_dimensions {

inline void loop(const dri::Domain<2> &a, const dri::Domain<1> &b) {
    dri::forall(dri::zip(a, a), [](auto, auto) {});
    static_cast<void>(dri::zip(a, b)); // error
}

} // namespace zip_of_other_dimensions
