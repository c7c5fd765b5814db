// Memory that starts at a cache line at least, owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dri {

constexpr int64_t cache_line_bytes = 64;
// The smallest page. Places that lie as far apart fall into the same set of the first cache.
constexpr int64_t page_bytes = 4096;
constexpr int64_t huge_page_bytes = int64_t{2} << 20; // where the system has huge pages at all

// Tells the system that it may back whole huge pages inside of this memory with such. Advice only: a refusal costs
// speed, nothing else, and pages that are there stay as they are.
void advise_huge_pages(void *begin, int64_t bytes);

// Reserves whole huge pages inside of memory that is mapped but not touched yet, zero-filled, also where the
// system would have small pages there by itself, as most do in memory that is shared. A refusal costs speed,
// nothing else: pages that are not there then come as they are touched. Cost: that of zeroing the memory.
void reserve_huge_pages(void *begin, int64_t bytes);

class AlignedBuffer {
public:
    AlignedBuffer() = default;
    // Reserves `bytes` bytes, zero-filled; fails with DRI_ERR_MEMORY. 0 bytes reserves nothing. alignment: a
    // power of two.
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

} // namespace dri
