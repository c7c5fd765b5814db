// dri: zip takes at least one item
#include <dri/dri.hpp>

namespace zip_of_nothing {

inline void loop(const dri::Domain<2> &a) {
    dri::forall(dri::zip(a), [](auto) {});
    static_cast<void>(dri::zip()); // error
}

} // namespace zip_of_nothing
