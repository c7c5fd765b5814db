// Offsets of sliding windows: where they may be, and their text.
#include "exec/window.hpp"

#include "base/error.hpp"

namespace dri::exec {

// Checks each dimension against this process's own array, so memory is safe even if processes disagree.
WindowOffset Window::at(std::span<const int64_t> offset) const {
    WindowOffset result;
    for (size_t d = 0; d < lowest.size(); ++d) {
        if (lowest[d] == 0 && highest[d] == 0 && offset[d] != 0)
            fail(DRI_ERR_ARG, "offset[{}] is {}, but the window does not slide along dimension {}", d, offset[d],
                 d);
        if (offset[d] < lowest[d] || offset[d] > highest[d])
            fail(DRI_ERR_ARG,
                 "offset[{}] is {}, but along dimension {} the window is inside the array from {} to {}", d,
                 offset[d], d, lowest[d], highest[d]);
        result.offset.push_back(offset[d]);
        result.bytes += offset[d] * step_bytes[d];
    }
    return result;
}

std::string offset_text(const Dims &offset) {
    return fmt::format("[{}]", fmt::join(offset.begin(), offset.end(), ","));
}

} // namespace dri::exec
