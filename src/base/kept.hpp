// Shared ownership of memory that the user keeps. The user has its address as a DRI_Kept *.
#pragma once

#include <memory>
#include <vector>

namespace dri::inline base {

using Kept = std::vector<std::shared_ptr<const void>>;

} // namespace dri::inline base
