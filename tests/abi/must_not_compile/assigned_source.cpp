// dri: an endpoint is moved, never copied
#include <dri/dri.hpp>

namespace assigned_source {

inline void take(dri::Source<float, 1> &a, dri::Source<float, 1> &b) {
    a = std::move(b);
    b = a; // error
}

} // namespace assigned_source
