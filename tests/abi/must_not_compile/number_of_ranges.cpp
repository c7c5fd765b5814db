// dri: Ranges of N dimensions take exactly N ranges
#include <dri/dri.hpp>

namespace number_of_ranges {

inline auto box() {
    const dri::Ranges<2> two(dri::range(0, 3), dri::range(0, 4));
    const dri::Ranges<2> one(dri::range(0, 3)); // error
    return two;
}

} // namespace number_of_ranges
