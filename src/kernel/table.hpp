// The kernel table, and the kernels that make it up. Each kernel is defined at the end of its own source file.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

#include <cstdint>
#include <span>
#include <type_traits>

namespace dri::kernel {

// All kernels, best first; the last one is the reference kernel, which fits everything.
std::span<const Kernel> kernels();

// A kernel for one instruction set. `fits` stands outside the set's namespace, because any processor runs it.
struct Version {
    Isa isa{};
    bool (*fits)(const plan::StridedCopy &copy) = nullptr;
    CopyFunction run = nullptr;
};

// A kernel with its versions, best first. A version without a function ends the list: a build may lack all vector
// sets, and an array cannot be empty.
struct Family {
    const char *name;
    plan::StridedCopy (*arrange)(const plan::StridedCopy &copy);
    const Version *versions;
};

extern const Family planes_kernel;           // planes.cpp
extern const Family transpose_kernel;        // transpose.cpp
extern const Family short_runs_kernel;       // short_runs.cpp
extern const Family even_elements_kernel;    // even_elements.cpp
extern const Family long_runs_kernel;        // long_runs.cpp
extern const Family converting_lines_kernel; // convert.cpp
extern const Family converting_turn_kernel;  // convert_turn.cpp
extern const Family converting_tiles_kernel; // convert.cpp
extern const Family elements_kernel;         // elements.cpp
extern const Family reference_kernel;        // reference.cpp

// The order of loops for most kernels: the canonical one.
plan::StridedCopy keep_order(const plan::StridedCopy &copy);

// The order for corner turns: the loop that is contiguous in the destination comes last, the one that is
// contiguous in the source before it.
plan::StridedCopy arrange_transpose(const plan::StridedCopy &copy);

// Calls f with the size of an element that corner turns have tiles for, as a constant. Returns false for other
// sizes.
template <class F> bool with_element(int64_t bytes, const F &f) {
    switch (bytes) {
    case 1: return f(std::integral_constant<int64_t, 1>());
    case 2: return f(std::integral_constant<int64_t, 2>());
    case 4: return f(std::integral_constant<int64_t, 4>());
    case 8: return f(std::integral_constant<int64_t, 8>());
    case 16: return f(std::integral_constant<int64_t, 16>());
    default: return false;
    }
}

// Runs of at most 64 bytes, any strides; see elements.cpp.
bool fits_elements(const plan::StridedCopy &copy);
plan::StridedCopy arrange_elements(const plan::StridedCopy &copy);
void copy_elements(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// reference.cpp: fits every copy.
void copy_reference(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

} // namespace dri::kernel
