// dri: an endpoint is moved, never copied
#include <dri/dri.hpp>

namespace assigned_sink {

inline void take(dri::Sink<float, 1> &to, dri::Sink<float, 1> &from) {
    to = std::move(from);
    to = from; // error
}

} // namespace assigned_sink
