// dri: a Map has at least one dimension
#include <dri/dri.hpp>

namespace map_of_no_dimensions {

inline auto made(const dri::Map<1> &map) {
    const dri::Map<0> none; // error
    return map;
}

} // namespace map_of_no_dimensions
