#include "base/memory.hpp"

#include "base/checked.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dri {

void advise_huge_pages(void *begin, int64_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(begin);
    const auto skipped = static_cast<int64_t>(-at % static_cast<uintptr_t>(huge_page_bytes));
    const int64_t whole = bytes <= skipped ? 0 : (bytes - skipped) / huge_page_bytes * huge_page_bytes;
    if (whole > 0)
        madvise(static_cast<std::byte *>(begin) + skipped, static_cast<size_t>(whole), MADV_HUGEPAGE);
}

AlignedBuffer::AlignedBuffer(int64_t bytes, int64_t alignment) : bytes_(bytes) {
    if (bytes == 0)
        return;
    // Large buffers start at a huge page, so that the system may back them with huge pages.
    const bool large = bytes >= huge_page_bytes;
    alignment = std::max(alignment, large ? huge_page_bytes : cache_line_bytes);
    if (bytes > INT64_MAX - alignment)
        fail(DRI_ERR_OVERFLOW, "{} bytes aligned to {} do not fit into 64 bits", bytes, alignment);
    const auto reserved = static_cast<size_t>(round_up(bytes, alignment));
    auto *p = static_cast<std::byte *>(std::aligned_alloc(static_cast<size_t>(alignment), reserved));
    if (!p)
        fail(DRI_ERR_MEMORY, "no memory for {} bytes aligned to {}", bytes, alignment);
    advise_huge_pages(p, static_cast<int64_t>(reserved));
    std::memset(p, 0, static_cast<size_t>(bytes));
    data_.reset(p);
}

void AlignedBuffer::Free::operator()(std::byte *p) const { std::free(p); }

} // namespace dri
