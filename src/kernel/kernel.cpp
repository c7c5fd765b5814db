// The kernel table, and binding a copy to a row of it.
#include "kernel/kernel.hpp"

#include "kernel/choice.hpp"
#include "kernel/table.hpp"
#include "kernel/tables.hpp"

#include <hwy/detect_targets.h>

#include <algorithm>

namespace dri::kernel {

namespace {

// All kernels, best first. If the compiler's own options already require an instruction set, Highway leaves out
// the lower ones.
constexpr Kernel table[] = {
#if HWY_TARGETS & HWY_AVX3
    {"planes", Isa::avx512, N_AVX3::fits_planes, keep_order, N_AVX3::copy_planes},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"planes", Isa::avx2, N_AVX2::fits_planes, keep_order, N_AVX2::copy_planes},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"planes", Isa::sse4, N_SSE4::fits_planes, keep_order, N_SSE4::copy_planes},
#endif
#if HWY_TARGETS & HWY_AVX3
    {"transpose", Isa::avx512, N_AVX3::fits_transpose, arrange_transpose, N_AVX3::copy_transpose},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"transpose", Isa::avx2, N_AVX2::fits_transpose, arrange_transpose, N_AVX2::copy_transpose},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"transpose", Isa::sse4, N_SSE4::fits_transpose, arrange_transpose, N_SSE4::copy_transpose},
#endif
#if HWY_TARGETS & HWY_AVX3
    {"short runs", Isa::avx512, N_AVX3::fits_short_runs, arrange_elements, N_AVX3::copy_short_runs},
    {"long runs", Isa::avx512, N_AVX3::fits_long_runs, arrange_long_runs, N_AVX3::copy_long_runs},
    {"converting lines", Isa::avx512, fits_converting_lines, keep_order, copy_converting_lines<Isa::avx512>},
    {"converting turn", Isa::avx512, N_AVX3::fits_converting_turn, arrange_transpose,
     N_AVX3::copy_converting_turn},
    {"converting tiles", Isa::avx512, fits_converting_tiles, arrange_converting_tiles,
     copy_converting_tiles<Isa::avx512>},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"short runs", Isa::avx2, N_AVX2::fits_short_runs, arrange_elements, N_AVX2::copy_short_runs},
    {"long runs", Isa::avx2, N_AVX2::fits_long_runs, arrange_long_runs, N_AVX2::copy_long_runs},
    {"converting lines", Isa::avx2, fits_converting_lines, keep_order, copy_converting_lines<Isa::avx2>},
    {"converting turn", Isa::avx2, N_AVX2::fits_converting_turn, arrange_transpose, N_AVX2::copy_converting_turn},
    {"converting tiles", Isa::avx2, fits_converting_tiles, arrange_converting_tiles,
     copy_converting_tiles<Isa::avx2>},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"short runs", Isa::sse4, N_SSE4::fits_short_runs, arrange_elements, N_SSE4::copy_short_runs},
    {"long runs", Isa::sse4, N_SSE4::fits_long_runs, arrange_long_runs, N_SSE4::copy_long_runs},
    {"converting lines", Isa::sse4, fits_converting_lines, keep_order, copy_converting_lines<Isa::sse4>},
    {"converting turn", Isa::sse4, N_SSE4::fits_converting_turn, arrange_transpose, N_SSE4::copy_converting_turn},
    {"converting tiles", Isa::sse4, fits_converting_tiles, arrange_converting_tiles,
     copy_converting_tiles<Isa::sse4>},
#endif
    {"converting lines", Isa::scalar, fits_converting_lines, keep_order, copy_converting_lines<Isa::scalar>},
    {"converting tiles", Isa::scalar, fits_converting_tiles, arrange_converting_tiles,
     copy_converting_tiles<Isa::scalar>},
    {"elements", Isa::scalar, fits_elements, arrange_elements, copy_elements},
    {"reference", Isa::scalar, fits_all, keep_order, copy_reference},
};

} // namespace

std::span<const Kernel> kernels() { return table; }

void BoundCopy::operator()(const std::byte *src, std::byte *dst) const {
    if (walk)
        return walk->run(src + copy.src_offset, dst + copy.dst_offset);
    kernel->run(copy, src, dst, stores);
}

// A copy with tables is run by a TableWalk, which binds the copy inside the tables.
BoundCopy bind(const plan::StridedCopy &copy, Isa isa, int64_t working_set_bytes) {
    const plan::StridedCopy reduced = plan::canonical(copy);
    if (!reduced.tables.empty()) {
        const auto walk = std::make_shared<const TableWalk>(reduced, isa, working_set_bytes);
        return {reduced, walk->kernel(), Stores::cached, walk};
    }
    const int64_t written = std::max(plan::copy_bytes(reduced), working_set_bytes);
    return bind_as(reduced, model_choice(reduced, isa, written, cache_bytes()));
}

} // namespace dri::kernel
