// Chooses what runs a copy: the cost model's choice, and the choices that the model ranks close to it.
#pragma once

#include "base/caches.hpp"
#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

#include <string>
#include <vector>

namespace dri::kernel {

// A kernel and its kind of stores.
struct Choice {
    const Kernel *kernel = nullptr;
    Stores stores = Stores::cached;
    friend bool operator==(const Choice &, const Choice &) = default;
};

// The cost model's choice. `copy` is in canonical form, without tables. written_bytes: the bytes that are written;
// about as many are read.
Choice model_choice(const plan::StridedCopy &copy, Isa isa, int64_t written_bytes, const CacheBytes &caches);

// The model's choice, followed by those close to it: the next row that fits, the same kernel with a lower
// instruction set, and other stores if written_bytes is within a factor of `close_factor` of the model's
// threshold.
constexpr int64_t close_factor = 4;
std::vector<Choice> close_choices(const plan::StridedCopy &copy, Isa isa, int64_t written_bytes,
                                  const CacheBytes &caches);

// Binds a copy to a given choice. `copy` is in canonical form, without tables, and the kernel fits it.
BoundCopy bind_as(const plan::StridedCopy &copy, const Choice &choice);

const char *stores_name(Stores stores);
std::string to_text(const Choice &choice); // "transpose avx512 streaming"

} // namespace dri::kernel
