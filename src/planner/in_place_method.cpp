// Chooses the method of a transfer in place.
#include "planner/in_place_method.hpp"

#include "planner/arranging.hpp"

namespace dri::planner {

namespace {

// Whether only overlap moves, as in a halo exchange: each process has one part on both sides, in one layout. Owned
// elements then keep their addresses, and no other elements are sent.
bool moves_overlap_only(const Side &source, const Side &sink) {
    return source.dist->id() == sink.dist->id() && source.layouts == sink.layouts && sink.scale == 1;
}

} // namespace

InPlaceMethod in_place_method(const Side &source, const Side &sink, const PlanOptions &options) {
    if (!options.in_place)
        return InPlaceMethod::none;
    if (moves_overlap_only(source, sink))
        return InPlaceMethod::overlap_only;
    return options.compact && can_be_arranged(source, sink) ? InPlaceMethod::arranged : InPlaceMethod::as_it_lies;
}

} // namespace dri::planner
