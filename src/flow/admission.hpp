// The rules of flow control that refuse calls. They are functions of the ledgers alone. docs/flow_control.md
// explains them, and why some process can always go on.
#pragma once

#include "flow/call.hpp"

namespace dri::flow {

// Whether a call may begin. `go`: its first halves can be done, and no rule forbids to wait for the second ones.
// The ruling on an attempt is that of a finish: Ruling::without_wait() makes it its own.
Ruling admit(const Ledgers &ledgers, const Call &call);

} // namespace dri::flow
