// dri: insert() is a call of a Source, and this is a Sink
#include <dri/dri.hpp>

namespace insert_of_a_sink {

inline void take(dri::Source<float, 1> &source, dri::Sink<float, 1> &sink) {
    source.insert("text");
    sink.insert("text"); // error
}

} // namespace insert_of_a_sink
