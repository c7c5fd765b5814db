// Operations on what a process holds of arrays and pieces.
#pragma once

#include "array/piece.hpp"
#include "outer/any_array.hpp"

namespace dri::array {

// The result of an operation on one or two operands. Fails as DRI_array_ewuny and DRI_array_ewbin.
std::shared_ptr<ArrayPiece> apply(DRI_Op op, const std::vector<std::shared_ptr<outer::AnyArray>> &operands,
                                  const DRI_Box *target, const DRI_Box *core);

} // namespace dri::array
