// Corner turns that convert, in one pass. Elements are transposed in strips in the source's type, and each column
// of a strip is converted before it is stored.
#include "kernel/convert.hpp"
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/conversion.hpp"
#include "plan/strided_copy.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/convert_turn.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/turn_strips-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

constexpr Isa isa = HWY_TARGET == HWY_AVX3 ? Isa::avx512 : HWY_TARGET == HWY_AVX2 ? Isa::avx2 : Isa::sse4;

// Cache lines of source data in a column of a strip.
constexpr int64_t column_lines = 2;
// Rows of a strip, and columns of a step along it.
template <int64_t element> struct ConvertedStrip {
    static constexpr int64_t rows = column_lines * Tile<element>::line_rows, step = Tile<element>::step;
};

// Converts each column of a strip between the transposition and the store.
struct ConvertedColumns {
    static constexpr bool plain = false;
    static constexpr int outputs = 1;
    static constexpr int64_t max_growth = 8; // from one byte to eight
    int64_t row_bytes;
    ConvertLine line;
    double scale;
    int64_t numbers; // scalars of a column
    Line converted[1 + max_growth * column_lines] = {};
    static constexpr int64_t output_offset(int) { return 0; }
    HWY_INLINE void work(const Line *raw) {
        line(raw[0].bytes, converted[1].bytes, numbers, scale, Stores::cached);
    }
    HWY_INLINE std::byte *lines(Line *, int) { return converted[1].bytes; }
};

template <int64_t element>
void turn_converting(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const plan::Loop down = copy.loops.back(), across = copy.loops[copy.loops.size() - 2];
    const plan::Conversion &c = copy.conversion;
    const ConvertedColumns columns{plan::dst_run_bytes(copy), line_for(c, isa), c.scale,
                                   ConvertedStrip<element>::rows * element / scalar_bytes(c.from)};
    for_each_outer(copy, 2, src, dst, [&](const std::byte *s, std::byte *d) {
        turn_strips<element, ConvertedStrip<element>::rows>(across, down.count, PlainRows{s, down.src_stride},
                                                            columns, d, stores);
    });
}

void copy_converting_turn(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    with_element(copy.run_bytes, [&](auto constant) {
        turn_converting<constant>(copy, src, dst, stores);
        return true;
    });
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

namespace {

// ConvertedStrip: that of an instruction set.
template <template <int64_t element> class ConvertedStrip>
bool fits_converting_turn(const plan::StridedCopy &copy) {
    if (!copy.conversion || copy.loops.size() < 2)
        return false;
    const plan::StridedCopy arranged = arrange_transpose(copy);
    const plan::Loop &down = arranged.loops.back(), &across = arranged.loops[arranged.loops.size() - 2];
    return with_element(copy.run_bytes, [&](auto constant) {
        constexpr int64_t element = constant;
        const int64_t dst_element = plan::dst_run_bytes(copy);
        return down.dst_stride == dst_element && across.src_stride == element &&
               down.count >= ConvertedStrip<element>::rows && across.count >= ConvertedStrip<element>::step &&
               ConvertedStrip<element>::rows * dst_element % cache_line_bytes == 0;
    });
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_converting_turn<set::ConvertedStrip>, set::copy_converting_turn},
constexpr Version converting_turn_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family converting_turn_kernel{"converting turn", arrange_transpose, converting_turn_versions};

} // namespace dri::kernel
#endif
