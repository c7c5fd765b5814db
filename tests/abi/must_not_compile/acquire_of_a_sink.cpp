// dri: acquire() is a call of a Source, and this is a Sink
#include <dri/dri.hpp>

namespace acquire_of_a_sink {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    source.acquire();
    sink.acquire(); // error
}

} // namespace acquire_of_a_sink
