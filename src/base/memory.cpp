// Aligned memory, and huge pages where the system provides them.
#include "base/memory.hpp"

#include "base/checked.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace dri::inline base {

namespace {

#ifdef MADV_COLLAPSE
constexpr int collapse_advice = MADV_COLLAPSE;
#else
constexpr int collapse_advice = 25; // the value since Linux 6.1; older headers do not define it
#endif

// Whether the administrator allows huge pages. `enabled` switches them off for the whole system, for example
// because of deadlines. MADV_COLLAPSE is an explicit request that the system grants in spite of `enabled`;
// therefore the library checks it itself. `shmem_enabled` is not read, not even for shared memory. Its default, on
// nearly all systems, is `never`, and it only controls what the system does without a request. Its value `deny`,
// meant for emergencies, makes the system refuse MADV_COLLAPSE as well.
bool has_huge_pages() {
    static const bool has = [] {
        std::string words;
        std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
        return std::getline(setting, words) && words.find("[never]") == std::string::npos;
    }();
    return has;
}

// The huge pages that lie completely inside a piece of memory.
struct HugePages {
    std::byte *begin;
    int64_t bytes;
    HugePages(void *memory, int64_t memory_bytes) {
        const auto at = reinterpret_cast<uintptr_t>(memory);
        const auto skipped = static_cast<int64_t>(-at % static_cast<uintptr_t>(huge_page_bytes));
        begin = static_cast<std::byte *>(memory) + skipped;
        bytes = memory_bytes <= skipped ? 0 : (memory_bytes - skipped) / huge_page_bytes * huge_page_bytes;
    }
};

} // namespace

void advise_huge_pages(void *begin, int64_t bytes) {
    const HugePages pages(begin, bytes);
    if (pages.bytes > 0)
        madvise(pages.begin, static_cast<size_t>(pages.bytes), MADV_HUGEPAGE);
}

void reserve_huge_pages(void *begin, int64_t bytes) {
    const HugePages pages(begin, bytes);
    if (pages.bytes == 0 || !has_huge_pages())
        return;
    // MADV_COLLAPSE needs at least one populated page in each huge page. One small page is enough, and collapsing
    // copies all populated ones.
    for (int64_t at = 0; at < pages.bytes; at += huge_page_bytes)
        if (madvise(pages.begin + at, page_bytes, MADV_POPULATE_WRITE) != 0)
            return;
    madvise(pages.begin, static_cast<size_t>(pages.bytes), collapse_advice);
}

AlignedBuffer::AlignedBuffer(int64_t bytes, int64_t alignment) : bytes_(bytes) {
    if (bytes == 0)
        return;
    // A large buffer starts at a huge page, so that the system can back it with huge pages.
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

} // namespace dri::inline base
