// dri: the function of forall takes one argument for each item
#include <dri/dri.hpp>

namespace forall_of_two_arguments {

inline void loop(const dri::Domain<3> &a) {
    dri::forall(a, [](auto) {});
    dri::forall(a, [](auto, auto) {}); // error
}

} // namespace forall_of_two_arguments
