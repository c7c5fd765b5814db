// What the calls that declare an end have in common.
#pragma once

#include "api/state.hpp"

namespace dri {

// Fails as they do.
Declaration get_declaration(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                            void *const buffs[]);

} // namespace dri
