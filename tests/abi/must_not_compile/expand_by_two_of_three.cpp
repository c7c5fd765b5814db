// dri: expand() takes one number, or one for each dimension
#include <dri/dri.hpp>

namespace expand_by_two_of_three {

inline auto grown(const dri::Ranges<3> &box) {
    const auto all = box.expand(1, 2, 3);
    return box.expand(1, 2); // error
}

} // namespace expand_by_two_of_three
