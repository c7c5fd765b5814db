// Elements that say which element they are: a mixture of their global index.
#pragma once

#include "geometry.hpp"

#include <cstddef>

namespace bench {

// Writes the elements of a part.
void fill(const Case &c, const Part &part, std::byte *data);

// Overwrites them with something that no stamp is.
void poison(const Case &c, const Part &part, std::byte *data);

// How many elements of a part are not what they should be.
int64_t count_wrong(const Case &c, const Part &part, const std::byte *data);

} // namespace bench
