// Names of the predefined types, for messages.
#pragma once

#include <dri/gdo.h>

namespace dri::outer {

// "complex float"; nullptr for a record. Local.
const char *name_of_number(DRI_Type type);
bool is_complex(DRI_Type type);

} // namespace dri::outer
