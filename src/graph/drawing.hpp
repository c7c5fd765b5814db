// A plan as a picture: a text for Graphviz.
#pragma once

#include "graph/plan_body.hpp"

namespace dri::graph {

// What a process tells for the picture.
struct DrawnPart {
    std::vector<std::string> calls;
    double seconds = 0; // in calls, per frame; 0: it has not run
};

struct DrawnProcess {
    int rank = -1;
    std::vector<DrawnPart> parts;
};

void put(Writer &out, const DrawnProcess &process);
DrawnProcess get_drawn(Reader &in);

// The same text on all processes.
std::string draw_plan(const Operations &operations, const std::vector<DrawnProcess> &processes);

} // namespace dri::graph
