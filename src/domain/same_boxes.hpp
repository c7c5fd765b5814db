// What processes agree on before they make something over the same domain.
#pragma once

#include "domain/space.hpp"
#include "outer/agree.hpp"

#include <functional>

namespace dri::domain {

// Agrees over the map's processes on a digest of the arguments, on steps of
// each, and on the boxes of a user's map, which may lie: they tile the domain
// and are the same everywhere. Fails alike on all processes. what: names the
// arguments.
void agree_on_boxes(const outer::Partners &scope, const Space &space, const Digest &called_with, const char *what,
                    const std::function<void()> &steps);

} // namespace dri::domain
