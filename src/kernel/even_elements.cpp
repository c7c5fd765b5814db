// Copies elements that lie evenly spaced in the source to places that follow each other: every n-th element of a
// row. Beyond the cache they are joined to whole cache lines, which are written once and past the cache: a cached
// store would first read the line that it overwrites.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/even_elements.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/lines-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

// So many bytes are joined before the first of them is stored. A vector that is loaded at once waits for the
// stores of its elements.
constexpr int64_t joined_bytes = 16 * line_bytes;

// Streams rows of elements of this size.
template <size_t element> class EvenRow {
public:
    explicit EvenRow(const plan::Loop &row) : count_(row.count), stride_(row.src_stride) {
        const int64_t distance = std::max<int64_t>(1, std::abs(stride_));
        per_fetch_ = std::max<int64_t>(1, line_bytes / distance);
    }

    // next: the source of the row that follows; null after the last one.
    HWY_INLINE void stream(const std::byte *src, std::byte *dst, const std::byte *next) const {
        // How many elements end where a cache line starts.
        const int64_t head_bytes = (line_bytes - bytes_past_line(dst)) % line_bytes;
        const int64_t head = head_bytes % size == 0 ? std::min(count_, head_bytes / size) : count_;
        pick(src, dst, head);
        int64_t at = head;
        for (; at + per_block <= count_; at += per_block) {
            const bool is_last = at + 2 * per_block > count_;
            if (const std::byte *ahead = is_last ? next : src + (at + per_block) * stride_)
                fetch(ahead);
            alignas(line_bytes) std::byte lines[joined_bytes];
            pick(src + at * stride_, lines, per_block);
            for (int64_t b = 0; b < joined_bytes; b += line_bytes)
                stream_line(lines + b, dst + at * size + b);
        }
        pick(src + at * stride_, dst + at * size, count_ - at);
    }

private:
    static constexpr int64_t size = static_cast<int64_t>(element), per_block = joined_bytes / size;

    HWY_INLINE void pick(const std::byte *from, std::byte *to, int64_t n) const {
        for (int64_t k = 0; k < n; ++k, from += stride_, to += element)
            std::memcpy(to, from, element);
    }
    // Fetches the sources of one block.
    HWY_INLINE void fetch(const std::byte *from) const {
        for (int64_t k = 0; k < std::min(per_block, count_); k += per_fetch_)
            __builtin_prefetch(from + k * stride_, 0, 2);
    }

    int64_t count_, stride_, per_fetch_;
};

template <size_t element> void stream_rows(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
    const EvenRow<element> row(copy.loops.back());
    for_each_outer_and_next(copy, 1, src, dst, [&](const std::byte *s, std::byte *d, const std::byte *next) {
        row.stream(s, d, next);
    });
    hwy::FlushStream();
}

void copy_even_elements(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    if (stores != Stores::streaming)
        return copy_elements(copy, src, dst, stores);
    switch (copy.run_bytes) {
    case 4: return stream_rows<4>(copy, src, dst);
    case 8: return stream_rows<8>(copy, src, dst);
    case 16: return stream_rows<16>(copy, src, dst);
    default: return stream_rows<32>(copy, src, dst);
    }
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

namespace {

// Minimum length of a row in the destination. Shorter ones would mostly be incomplete lines.
constexpr int64_t shortest_row_bytes = 8 * cache_line_bytes;

[[maybe_unused]] bool fits_even_elements(const plan::StridedCopy &copy) {
    if (!fits_elements(copy))
        return false;
    const int64_t run = copy.run_bytes;
    const plan::Loop row = arrange_elements(copy).loops.back();
    return (run == 4 || run == 8 || run == 16 || run == 32) && row.dst_stride == run &&
           row.count * run >= shortest_row_bytes;
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_even_elements, set::copy_even_elements},
constexpr Version even_elements_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family even_elements_kernel{"even elements", arrange_elements, even_elements_versions};

} // namespace dri::kernel
#endif
