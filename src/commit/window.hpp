// Windows that slide in the array of an end: whether they can, and how far.
#pragma once

#include "commit/prepare.hpp"

#include <span>

namespace dri {

// The window of a group position's end in the array of its side. slides: bit d: along dimension d; others: the
// GDOs of the ends at the other side. Fails with DRI_ERR_UNSUPPORTED where what the position holds does not let it
// slide.
Window find_window(const Side &side, int position, Role role, int64_t slides, std::span<const Gdo *const> others);

// Gives the draft's ends that have DRI_ATTR_REBASE theirs. Fails as find_window().
void add_windows(DraftTransfer &draft);

} // namespace dri
