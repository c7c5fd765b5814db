// dri: release() is a call of a Sink, and this is a Source
#include <dri/dri.hpp>

namespace release_of_a_source {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    sink.release();
    source.release(); // error
}

} // namespace release_of_a_source
