// dri: try_extract() is a call of a Sink, and this is a Source
#include <dri/dri.hpp>

namespace try_extract_of_a_source {

inline void take(dri::Source<float, 1> &source, dri::Received<float, 1> &frame) {
    source.try_acquire();
    source.try_extract(frame); // error
}

} // namespace try_extract_of_a_source
