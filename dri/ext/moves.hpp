// Moves of whole arrays, in a file of their own.
#pragma once

#include "handles.hpp"

namespace dri_python {

using ArrayClass = py::class_<Array>;

void bind_moves(ArrayClass &array);

} // namespace dri_python
