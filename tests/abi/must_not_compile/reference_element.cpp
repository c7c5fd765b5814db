// dri: an element type is no reference
#include <dri/dri.hpp>

namespace reference_element {

using Good = dri::Gdo<float, 1>;
inline int64_t size(const Good &gdo) { return gdo.size(); }
inline int64_t size(const dri::Gdo<float &, 1> &gdo) { return gdo.size(); } // error

} // namespace reference_element
