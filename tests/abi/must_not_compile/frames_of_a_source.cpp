// dri: frames() is a call of a Sink, and this is a Source
#include <dri/dri.hpp>

namespace frames_of_a_source {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    sink.frames();
    source.frames(); // error
}

} // namespace frames_of_a_source
