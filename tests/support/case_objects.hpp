// A transfer case as objects of the library's interface, as the processes of a job make them.
#pragma once

#include "case_data.hpp"
#include "objects.hpp"

namespace dri_test {

// The end of one side that the calling process holds. Collective over the side's processes.
struct CaseEndpoint {
    Type type; // a record's
    Dist dist;
    std::vector<Layout> layouts; // the last one is the end's
    Xfer xfer;
};

// position: the caller's in the side's group. buffer: the user's. threads: where there are several, they share
// even the smallest copy.
CaseEndpoint make_case_endpoint(const dri::test::TransferCase &c, const dri::test::SideSpec &spec,
                                const dri::Side &side, DRI_Role role, int position, void *buffer, int threads = 1);

} // namespace dri_test
