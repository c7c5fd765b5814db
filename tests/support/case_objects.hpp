// A transfer case as handles of the public interface, as the processes of a job make them.
#pragma once

#include "case_data.hpp"
#include "objects.hpp"

namespace dri::test {

// The calling process's endpoint of one side.
struct CaseEndpoint {
    Type type; // for records
    Gdo root;
    Dist dist;
    std::vector<Layout> layouts; // the last one is the endpoint's
    Xfer xfer;
};

// An endpoint that is not declared yet. Collective over the side's processes. position: that of the caller in the
// side's group.
CaseEndpoint make_case_endpoint(const TransferCase &c, const SideSpec &spec, const dri::planner::Side &side,
                                int position);
// buffers: as for DRI_xfer_create.
void declare_case_endpoint(CaseEndpoint &endpoint, const std::string &name, DRI_Role role, const TransferCase &c,
                           const SideSpec &spec, const dri::planner::Side &side, int position,
                           void *const *buffers);

// The endpoint keeps what the layout needs.
DRI_Layout make_layout(const model::Layout &from, CaseEndpoint &endpoint);
// What the words at the end of a case line say about an endpoint.
void set_attributes(DRI_Xfer xfer, DRI_Role role, const TransferCase &c);

} // namespace dri::test
