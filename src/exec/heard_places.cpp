#include "exec/heard_places.hpp"

namespace dri {

void HeardPlaces::begin() {
    first_ = -1;
    clash_.reset();
}

void HeardPlaces::hear(int peer, const Dims &offset) {
    if (first_ < 0) {
        first_ = peer;
        offset_ = offset;
    } else if (!clash_ && !(offset_ == offset)) {
        clash_ = WindowClash{first_, peer, offset_, offset};
    }
}

} // namespace dri
