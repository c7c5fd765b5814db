// Texts of arrays.
#pragma once

#include "domain/array_object.hpp"

namespace dri::domain {

using PutText = int (*)(void *ctx, const char *text, size_t n);
// Writes the elements as text on the map's first process. Fails as
// DRI_array_write.
void write_array(const ArrayObject &array, PutText put, void *ctx);

} // namespace dri::domain
