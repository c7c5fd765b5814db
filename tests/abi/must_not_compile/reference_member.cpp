// dri: an element type has no members that are references or const
#include <dri/dri.hpp>

namespace reference_member {

struct Holder {
    int &x;
};
inline int64_t size(const dri::Gdo<int, 1> &gdo) { return gdo.size(); }
inline int64_t size(const dri::Gdo<Holder, 1> &gdo) { return gdo.size(); } // error

} // namespace reference_member
