// The common part of the calls that declare an endpoint: DRI_xfer_create and DRI_xfer_create_strips.
#pragma once

#include "api/state.hpp"
#include "commit/endpoint.hpp"

namespace dri::api {

// Checks the arguments and makes a declaration from them. Fails with the codes that these calls document.
commit::Declaration get_declaration(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                                    void *const buffs[]);

} // namespace dri::api
