// Repartitions: pieces in which each process holds what it asks for.
#pragma once

#include "array/piece.hpp"
#include "outer/any_array.hpp"

namespace dri::array {

// target: positions of the array; nullptr: the default partition. Fails as DRI_array_repartition. Collective over
// the array's processes.
std::shared_ptr<ArrayPiece> repartition(const std::shared_ptr<outer::AnyArray> &array, const DRI_Box *target);

} // namespace dri::array
