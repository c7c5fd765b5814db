// How the messages of a transfer in place are cut.
#pragma once

#include "planner/plan_options.hpp"
#include "planner/side.hpp"

namespace dri::planner {

enum class InPlaceMethod {
    none,        // source and sink have buffers of their own
    as_it_lies,  // data arrive where others left: messages are cut into rounds
    arranged,    // parts are put in order before and after the messages
    overlap_only // nothing that is sent is overwritten: data move as between two buffers
};

// All processes come to the same answer, because it follows from what they agreed on.
InPlaceMethod in_place_method(const Side &source, const Side &sink, const PlanOptions &options);

} // namespace dri::planner
