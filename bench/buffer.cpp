#include "buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace bench {

Buffer::Buffer(int64_t bytes) {
    constexpr size_t huge_page_bytes = size_t{2} << 20;
    const auto wanted = static_cast<size_t>(bytes);
    const size_t alignment = wanted >= huge_page_bytes ? huge_page_bytes : line_bytes;
    const size_t reserved = (wanted / alignment + 1) * alignment;
    data_.reset(static_cast<std::byte *>(std::aligned_alloc(alignment, reserved)));
    if (!data_)
        throw std::runtime_error("no memory for a buffer of " + std::to_string(bytes) + " bytes");
    if (alignment == huge_page_bytes)
        madvise(data_.get(), reserved, MADV_HUGEPAGE);
    std::memset(data_.get(), 0, reserved);
}

void Buffer::Free::operator()(std::byte *p) const { std::free(p); }

} // namespace bench
