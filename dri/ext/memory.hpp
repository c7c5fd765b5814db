// Endpoints whose buffer moves: they name the memory of arrays, which must be freed nevertheless.
#pragma once

#include "ends.hpp"

#include <memory>

namespace dri_python {

void note_rebound(const End &end);
void forget_rebound(const End &end);

} // namespace dri_python
