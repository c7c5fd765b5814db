// Owned memory that is aligned to cache lines or more, and huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dri::inline base {

constexpr int64_t cache_line_bytes = 64;
// The smallest page. Addresses that are this far apart fall into the same set of the first-level cache.
constexpr int64_t page_bytes = 4096;
constexpr int64_t huge_page_bytes = int64_t{2} << 20; // if the system has huge pages at all

// Allows the system to back those parts of the memory with huge pages that cover whole ones. This is only advice:
// a refusal costs nothing but speed. Pages that exist already stay as they are.
void advise_huge_pages(void *begin, int64_t bytes);

// Reserves zero-filled huge pages inside memory that is mapped but not touched yet. It requests them even if the
// system would use small pages by itself, as most systems do for shared memory. A refusal costs nothing but speed:
// the missing pages are then allocated when they are touched. Cost: that of zeroing the memory.
void reserve_huge_pages(void *begin, int64_t bytes);

class AlignedBuffer {
public:
    AlignedBuffer() = default;
    // Reserves `bytes` zero-filled bytes, or nothing if `bytes` is 0. alignment: a power of two. Fails with
    // DRI_ERR_MEMORY.
    explicit AlignedBuffer(int64_t bytes, int64_t alignment = cache_line_bytes);

    std::byte *data() const { return data_.get(); }
    int64_t bytes() const { return bytes_; }

private:
    struct Free {
        void operator()(std::byte *p) const;
    };
    std::unique_ptr<std::byte, Free> data_;
    int64_t bytes_ = 0;
};

} // namespace dri::inline base
