// dri: extract() is a call of a Sink, and this is a Source
#include <dri/dri.hpp>

namespace extract_of_a_source {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    sink.extract();
    source.extract(); // error
}

} // namespace extract_of_a_source
