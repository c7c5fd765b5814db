// Ports of whole transfers: their distributions, layouts and attributes.
#pragma once

#include "graph/body.hpp"
#include "outer/owned.hpp"

namespace dri::graph {

// Checks the arguments as DRI_xfer_create does, and keeps them.
GraphPort make_port(DRI_Role role, const std::string &name, DRI_Dist dist, DRI_Layout layout);

// Sets what DRI_xfer_set_attr and DRI_xfer_set_scale would set, or fails as they do. A refused one is not kept.
void set_port_attr(GraphPort &port, const std::string &name, DRI_Attr attr, int64_t value);
void set_port_scale(GraphPort &port, const std::string &name, double scale);

// Declares the endpoint of a port, with all that is set.
outer::OwnedXfer declare_port(const GraphPort &port, const std::string &name, int buffers);

} // namespace dri::graph
