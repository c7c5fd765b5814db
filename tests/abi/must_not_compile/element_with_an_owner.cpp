// dri: an element is copied byte for byte, so its type must be trivially copyable
#include <dri/dri.hpp>

namespace element_with_an_owner {

inline int64_t size(const dri::Gdo<int, 1> &gdo) { return gdo.size(); }
inline int64_t size(const dri::Gdo<std::string, 1> &gdo) { return gdo.size(); } // error

} // namespace element_with_an_owner
