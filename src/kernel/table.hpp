// Declares the kernels of the kernel table, one source file each.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

namespace dri::kernel {

// The order of loops for most kernels: the canonical one.
plan::StridedCopy keep_order(const plan::StridedCopy &copy);

// reference.cpp: memcpy per run, or scalar by scalar if the copy converts. Fits everything.
bool fits_all(const plan::StridedCopy &copy);
void copy_reference(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// elements.cpp: runs of at most 64 bytes, any strides. Blocked if source and destination differ in the order of
// the two innermost loops.
bool fits_elements(const plan::StridedCopy &copy);
plan::StridedCopy arrange_elements(const plan::StridedCopy &copy);
void copy_elements(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// transpose.cpp: the corner turn of elements of 1, 2, 4, 8 or 16 bytes, in registers. The loop that is
// contiguous in the destination comes last, the one that is contiguous in the source before it.
plan::StridedCopy arrange_transpose(const plan::StridedCopy &copy);

// long_runs.cpp: runs of whole cache lines and more. If the innermost loop's runs compete for the same lines of a
// cache, the loop whose runs follow each other in the source comes last.
plan::StridedCopy arrange_long_runs(const plan::StridedCopy &copy);

// short_runs.cpp: the corner turn of records of 3 to 63 bytes. It differs from elements.cpp only when it streams.

// convert.cpp: copies that convert. Long runs are converted as lines, short ones in tiles that a plain kernel
// rearranges.
bool fits_converting_lines(const plan::StridedCopy &copy);
bool fits_converting_tiles(const plan::StridedCopy &copy);
plan::StridedCopy arrange_converting_tiles(const plan::StridedCopy &copy);
template <Isa isa>
void copy_converting_lines(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
template <Isa isa>
void copy_converting_tiles(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// convert_turn.cpp: corner turns of elements of 1, 2, 4, 8 or 16 bytes that convert.

// planes.cpp: complex numbers between pairs and planes, with or without a corner turn.

// The names of these namespaces are Highway's, one per instruction set.
namespace N_SSE4 {
bool fits_transpose(const plan::StridedCopy &copy);
void copy_transpose(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_long_runs(const plan::StridedCopy &copy);
void copy_long_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_short_runs(const plan::StridedCopy &copy);
void copy_short_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_converting_turn(const plan::StridedCopy &copy);
void copy_converting_turn(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_planes(const plan::StridedCopy &copy);
void copy_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
} // namespace N_SSE4
namespace N_AVX2 {
bool fits_transpose(const plan::StridedCopy &copy);
void copy_transpose(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_long_runs(const plan::StridedCopy &copy);
void copy_long_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_short_runs(const plan::StridedCopy &copy);
void copy_short_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_converting_turn(const plan::StridedCopy &copy);
void copy_converting_turn(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_planes(const plan::StridedCopy &copy);
void copy_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
} // namespace N_AVX2
namespace N_AVX3 {
bool fits_transpose(const plan::StridedCopy &copy);
void copy_transpose(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_long_runs(const plan::StridedCopy &copy);
void copy_long_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_short_runs(const plan::StridedCopy &copy);
void copy_short_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_converting_turn(const plan::StridedCopy &copy);
void copy_converting_turn(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
bool fits_planes(const plan::StridedCopy &copy);
void copy_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);
} // namespace N_AVX3

} // namespace dri::kernel
