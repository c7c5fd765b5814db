// The common part of the calls that declare endpoints: DRI_xfer_create, DRI_xfer_create_strips and those of
// turn.h.
#pragma once

#include "api/state.hpp"
#include "commit/endpoint.hpp"
#include "model/distribution.hpp"

namespace dri::api {

// Checks the arguments and makes a declaration from them. Fails with the codes that these calls document.
commit::Declaration get_declaration(const char *name, DRI_Role role,
                                    std::shared_ptr<const model::Distribution> dist, DRI_Layout layout, int nbuffs,
                                    void *const buffs[]);

// Declares an endpoint and makes its handle.
DRI_Xfer declare(commit::Declaration declaration);

} // namespace dri::api
