// dri: the buffers of an endpoint are spans or Views of its own element type
#include <dri/dri.hpp>

namespace rebind_to_another_type {

inline void take(dri::Sink<float, 1> &sink, std::vector<float> &a, std::vector<int> &b) {
    sink.rebind(a);
    sink.rebind(b); // error
}

} // namespace rebind_to_another_type
