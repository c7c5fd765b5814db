// dri: an endpoint is moved, never copied
#include <dri/dri.hpp>

namespace copied_source {

inline void take(dri::Source<float, 1> &source) {
    dri::Source<float, 1> moved = std::move(source);
    dri::Source<float, 1> copied = source; // error
}

} // namespace copied_source
