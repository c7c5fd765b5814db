// dri: last() is a call of a Sink, and this is a Source
#include <dri/dri.hpp>

namespace last_of_a_source {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    sink.last();
    source.last(); // error
}

} // namespace last_of_a_source
