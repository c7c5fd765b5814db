// dri: an element type is neither const nor volatile
#include <dri/dri.hpp>

namespace const_element {

inline int64_t size(const dri::Gdo<int, 1> &gdo) { return gdo.size(); }
inline int64_t size(const dri::Gdo<const int, 1> &gdo) { return gdo.size(); } // error

} // namespace const_element
