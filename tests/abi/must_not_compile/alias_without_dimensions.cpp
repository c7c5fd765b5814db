// dri: an alias keeps at least one of its dimensions
#include <dri/dri.hpp>

namespace alias_without_dimensions {

inline void slice(dri::Array<int, 2> &a) {
    static_cast<void>(a.alias(a.ranges(), dri::drop<0>));
    static_cast<void>(a.alias(a.ranges(), dri::drop<2>)); // error
}

} // namespace alias_without_dimensions
