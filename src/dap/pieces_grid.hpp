// Exact pieces that form a grid.
#pragma once

#include <dri/part.h>

#include <optional>
#include <span>
#include <vector>

namespace dri::dap {

using ExactPiece = std::vector<DRI_Part_tuple>; // one tuple per dimension

// The numbers of parts along each dimension, if the pieces are those of a grid in row-major order. Pieces without
// elements may suit several grids; it is then the one with fewer parts along the last dimensions.
std::optional<std::vector<int>> grid_of(std::span<const ExactPiece> pieces, std::span<const int64_t> sizes);

} // namespace dri::dap
