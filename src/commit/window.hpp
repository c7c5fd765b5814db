// Windows that slide in the array of an endpoint: whether they can slide, and how far.
#pragma once

#include "commit/stages.hpp"
#include "exec/window.hpp"
#include "model/gdo.hpp"
#include "planner/side.hpp"

#include <span>

namespace dri::commit {

// The window in the array of `side`, for the endpoint at a group position. slides: bit d is set if it slides along
// dimension d. others: the GDOs of the endpoints of the other side. Fails with DRI_ERR_UNSUPPORTED if what the
// position holds does not let the window slide.
exec::Window find_window(const planner::Side &side, int position, Role role, int64_t slides,
                         std::span<const model::Gdo *const> others);

// Gives those endpoints that have DRI_ATTR_REBASE their windows. Fails as find_window() does.
void add_windows(Planned &planned);

} // namespace dri::commit
