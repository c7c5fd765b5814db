// A transfer case as handles of the public interface, as the processes of a job make them.
#pragma once

#include "case_data.hpp"
#include "objects.hpp"

namespace dri_test {

// The calling process's endpoint of one side. Collective over the side's processes.
struct CaseEndpoint {
    Type type; // for records
    Dist dist;
    std::vector<Layout> layouts; // the last one is the endpoint's
    Xfer xfer;
};

// position: the caller's position in the side's group. buffer: the user's buffer. threads: if more than one, they
// share the work of even the smallest copy.
CaseEndpoint make_case_endpoint(const dri::test::TransferCase &c, const dri::test::SideSpec &spec,
                                const dri::planner::Side &side, DRI_Role role, int position, void *buffer,
                                int threads = 1);

} // namespace dri_test
