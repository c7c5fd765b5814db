// dri: an array has 0 to 8 dimensions
#include <dri/dri.hpp>

namespace nine_dimensions {

inline int64_t size(const dri::Gdo<float, 8> &gdo) { return gdo.size(); }
inline int64_t size(const dri::Gdo<float, 9> &gdo) { return gdo.size(); } // error

} // namespace nine_dimensions
