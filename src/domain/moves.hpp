// What arrays do beside assignments: updates of overlap, and texts.
#pragma once

#include "domain/array_object.hpp"

namespace dri::domain {

// Fills the overlap. Fails as DRI_array_update_overlap.
void update_overlap(const ArrayObject &array);
// Its two halves.
void start_update(const ArrayObject &array);
void wait_for_update(const ArrayObject &array);

using PutText = int (*)(void *ctx, const char *text, size_t n);
// Writes the elements as text on the map's first process. Fails as
// DRI_array_write.
void write_array(const ArrayObject &array, PutText put, void *ctx);

} // namespace dri::domain
