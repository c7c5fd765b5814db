// dri: try_acquire() is a call of a Source, and this is a Sink
#include <dri/dri.hpp>

namespace try_acquire_of_a_sink {

inline void take(dri::Sink<float, 1> &sink, dri::Received<float, 1> &frame) {
    sink.try_extract(frame);
    sink.try_acquire(); // error
}

} // namespace try_acquire_of_a_sink
