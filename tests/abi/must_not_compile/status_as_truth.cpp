// could not convert|not contextually convertible
#include <dri/dri.hpp>

namespace status_as_truth {

inline bool take(dri::Sink<float, 1> &sink) {
    const bool is_done = sink.test() == dri::Status::done;
    return sink.test() ? true : false; // error
    return is_done;
}

} // namespace status_as_truth
